import type { SchemaFault } from '../fault.ts';
import type { StepBudget } from '../limits.ts';
import type { Patterns } from '../patterns.ts';
import type { Draft, SchemaObject } from '../schema-graph.ts';
import { branching } from './branches.ts';
import { all, type Engine, failing, type Keyword, markAll, nothingEvaluated, type SchemaCheck } from './check.ts';
import { ofLists, unevaluatedItems } from './lists.ts';
import { ofObjects, unevaluatedProperties } from './objects.ts';
import { ofValues } from './values.ts';

/** In the order in which they are applied. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(Object.entries({ ...ofValues, ...branching, ...ofLists, ...ofObjects }));
const RUN_LAST: ReadonlyMap<string, Keyword> = new Map(Object.entries({ unevaluatedItems, unevaluatedProperties }));

/** Keywords that a draft does not define, and that are therefore ignored. */
const UNKNOWN: Readonly<Record<Draft, ReadonlySet<string>>> = {
  'draft-07': new Set(['prefixItems', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties']),
  '2020-12': new Set(['additionalItems']),
};

/** Returns true if the data is valid; if not, `errors` holds the reasons until the next call. */
export interface Validator {
  (data: unknown): boolean;
  errors?: SchemaFault[] | null;
}

export interface ValidatorOptions {
  readonly draft: Draft;
  readonly allErrors: boolean;
  readonly budget: StepBudget;
  readonly patterns: Patterns;
  readonly formats: Engine['formats'];
}

/**
 * Creates a validator for a schema from `copyForValidator`: functions that call each other, one for each keyword. It generates no code from
 * text, which some platforms forbid.
 */
export const createValidator = (root: SchemaObject, options: ValidatorOptions): Validator => {
  const definitions = (root.definitions ?? {}) as Readonly<Record<string, SchemaObject | boolean>>; // made by copyForValidator
  const definitionChecks = new Map<string, SchemaCheck>();
  const errors: SchemaFault[] = [];

  const definitionAt = (address: string): SchemaCheck => {
    const check = definitionChecks.get(address) ?? compile(definitions[address.slice('#/definitions/'.length)] ?? true);
    definitionChecks.set(address, check);
    return check;
  };
  const checksOf = (schema: SchemaObject, keywords: ReadonlyMap<string, Keyword>): readonly SchemaCheck[] =>
    [...keywords]
      .filter(([keyword]) => Object.hasOwn(schema, keyword) && !UNKNOWN[options.draft].has(keyword))
      .map(([keyword, make]) => make(schema[keyword], schema, engine, failing(keyword, schema[keyword], schema, engine)));

  const compile = (schema: SchemaObject | boolean): SchemaCheck => {
    if (schema === true) return () => true;
    if (schema === false) return (data, at) => failing('false schema', false, undefined, engine)(data, at, {});
    const [first, last] = [checksOf(schema, KEYWORDS), checksOf(schema, RUN_LAST)];
    const check = all([...first, ...last], engine);
    if (last.length === 0) return check;
    return (data, at, evaluated) => {
      const own = nothingEvaluated();
      const isValid = check(data, at, own);
      markAll(evaluated, own);
      return isValid;
    };
  };

  const engine: Engine = {
    ...options,
    errors,
    compile,
    refer: (address) => (data, at, evaluated) => definitionAt(address)(data, at, evaluated),
  };
  const check = compile(root);
  const validate: Validator = (data) => {
    try {
      const isValid = check(data, { path: '' });
      validate.errors = isValid ? null : [...errors];
      return isValid;
    } finally {
      errors.length = 0;
    }
  };
  return validate;
};
