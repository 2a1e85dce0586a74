import type { FaultParams, SchemaFault } from '../fault.ts';
import type { StepBudget } from '../limits.ts';
import type { Patterns } from '../patterns.ts';
import type { Draft, SchemaObject } from '../schema-graph.ts';

/** The position of a value in the data: a JSON pointer, and `propertyName` if the value validated is the name of that property. */
export interface Location {
  readonly path: string;
  readonly propertyName?: string;
}

/** The parts of a value that subschemas have evaluated: the names of its properties, and the number of its leading items. */
export interface Evaluated {
  names: Set<string> | 'all';
  items: number;
}

/** Validates a value against a schema or a keyword, and adds faults to the engine's `errors`. */
export type SchemaCheck = (data: unknown, at: Location, evaluated?: Evaluated) => boolean;

/** State shared by keywords while they are compiled and run. */
export interface Engine {
  readonly draft: Draft;
  /** True to report all faults, false to stop at the first. */
  readonly allErrors: boolean;
  readonly budget: StepBudget;
  readonly patterns: Patterns;
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  readonly errors: SchemaFault[];
  compile(schema: SchemaObject | boolean): SchemaCheck;
  /** Returns the check for a definition of the root schema, by its address `#/definitions/<n>`. */
  refer(address: string): SchemaCheck;
}

/** Compiles a keyword. `fail` adds a fault of this keyword and returns false. */
export type Keyword = (value: unknown, schema: SchemaObject, engine: Engine, fail: Fail) => SchemaCheck;
export type Fail = (data: unknown, at: Location, params: FaultParams) => false;

export const failing =
  (keyword: string, value: unknown, parentSchema: SchemaObject | undefined, { errors }: Pick<Engine, 'errors'>): Fail =>
  (data, { path, propertyName }, params) => {
    const named = propertyName === undefined ? {} : { propertyName };
    const parent = parentSchema === undefined ? {} : { parentSchema };
    errors.push({ keyword, instancePath: path, params, schema: value, data, ...parent, ...named });
    return false;
  };

/** True if all entries are valid. Stops at the first failure, unless `allErrors` is set. */
export const allValid = <T>({ allErrors }: Pick<Engine, 'allErrors'>, entries: Iterable<T>, isValid: (entry: T) => boolean): boolean => {
  let all = true;
  for (const entry of entries) {
    if (isValid(entry)) continue;
    if (!allErrors) return false;
    all = false;
  }
  return all;
};

/**
 * A keyword that limits a measure of a value, such as its length.
 * @param measureOf returns undefined for values to which the measure does not apply
 */
export const limited =
  (
    measureOf: (data: unknown) => number | undefined,
    isWithin: (measure: number, limit: number) => boolean,
    more: FaultParams = {},
  ): Keyword =>
  (value, _schema, _engine, fail) => {
    const limit = Number(value);
    return (data, at) => {
      const measure = measureOf(data);
      return measure === undefined || isWithin(measure, limit) || fail(data, at, { ...more, limit });
    };
  };

/** Runs the checks in order. Stops at the first failure, unless `allErrors` is set. */
export const all = (checks: readonly SchemaCheck[], engine: Pick<Engine, 'allErrors'>): SchemaCheck => {
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (data, at, evaluated) => allValid(engine, checks, (check) => check(data, at, evaluated));
};

/** The position of a property or item. */
export const below = ({ path, propertyName }: Location, key: string | number): Location => {
  const step = typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1');
  return propertyName === undefined ? { path: `${path}/${step}` } : { path: `${path}/${step}`, propertyName };
};

export const nothingEvaluated = (): Evaluated => ({ names: new Set(), items: 0 });

export const markProperty = (evaluated: Evaluated | undefined, name: string): void => {
  if (evaluated && evaluated.names !== 'all') evaluated.names.add(name);
};

export const markItems = (evaluated: Evaluated | undefined, count: number): void => {
  if (evaluated) evaluated.items = Math.max(evaluated.items, count);
};

export const markAll = (evaluated: Evaluated | undefined, more: Evaluated | undefined): void => {
  if (!evaluated || !more) return;
  evaluated.items = Math.max(evaluated.items, more.items);
  if (more.names === 'all') evaluated.names = 'all';
  else for (const name of more.names) markProperty(evaluated, name);
};
