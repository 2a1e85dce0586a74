import { LRUCache } from 'lru-cache';
import { type ApiError, invalidField } from '../../../errors/index.ts';
import { createFormats } from './formats/index.ts';
import { createTank, excess, limits, OutOfFuel } from './limits.ts';
import { metaSchemas } from './meta-schemas.ts';
import { createPatterns } from './patterns.ts';
import { copyForValidator } from './schema-copy.ts';
import {
  DEFINITIONS,
  type Draft,
  IN_PLACE,
  isObject,
  readGraph,
  type SchemaGraph,
  type SchemaObject,
  SchemaRefused,
} from './schema-graph.ts';
import { createValidator, type Validator } from './validator/index.ts';
import { ROOT, type Violation, violationsOf, violationsText } from './violations.ts';

/**
 * How many subschemas apply to one and the same value: `allOf`, `if`, `$ref` and their like unfold at the place where they stand.
 * A schema that comes back to itself so would never end, and one whose definitions each use the next one twice would take
 * forever; both are mistakes that the author should hear of at once.
 * @throws SchemaRefused
 */
const checkUnfolding = ({ children, references }: SchemaGraph): void => {
  const costs = new Map<SchemaObject, number | 'open'>();
  const cost = (schema: SchemaObject): number => {
    const known = costs.get(schema);
    if (known === 'open') throw new SchemaRefused('the schema refers to itself without going into an item or a property');
    if (known !== undefined) return known;
    costs.set(schema, 'open');
    let sum = 1;
    for (const next of inPlace(schema)) {
      sum += cost(next);
      if (sum > limits.unfolding) throw new SchemaRefused(`the schema unfolds to more than ${limits.unfolding} subschemas for one value`);
    }
    costs.set(schema, sum);
    return sum;
  };
  const inPlace = (schema: SchemaObject): readonly SchemaObject[] =>
    [
      ...(references.get(schema) ?? []),
      ...(children.get(schema) ?? [])
        .filter(({ keyword }) => IN_PLACE.has(keyword) && !DEFINITIONS.has(keyword))
        .map((child) => child.schema),
    ].filter((next) => typeof next === 'object');
  for (const schema of children.keys()) cost(schema);
};

/** @returns what is wrong with the data, the first fault first; empty when nothing is. Never throws. */
export type CheckData = (data: unknown) => readonly Violation[];

/** Compiled schemas by their JSON, 2 Mi characters of it in all: reading one takes a millisecond, and the same few types are used all the time. */
const compiled = new LRUCache<string, CheckData>({ maxSize: 2 ** 21, sizeCalculation: (_check, json) => json.length });

/**
 * Compiles the schema of a config type: JSON Schema draft-07, or 2020-12 if `$schema` says so. References stay within the schema, patterns are RE2,
 * and the cost of any check is bounded (see `limits.ts`).
 *
 * ```ts
 * const check = compileSchema({ type: 'object', properties: { port: { type: 'integer' } } });
 * check({ port: 'x' }); // [{ field: 'port', reason: 'type: expected integer, got string', value: 'x' }]
 * ```
 * @throws ApiError 400 `COULD_NOT_VALIDATE`, field `schema`: not an object schema, not compilable, or too costly
 */
export const compileSchema = (schema: unknown): CheckData => {
  const json = toJson(schema);
  const known = compiled.get(json);
  if (known) return known;
  const check = compile(json);
  compiled.set(json, check);
  return check;
};

const toJson = (schema: unknown): string => {
  const reason = isObject(schema) ? excess(schema, limits.schemaDepth, limits.schemaBytes) : 'must be an object';
  if (reason) throw refused(reason, schema);
  const json = JSON.stringify(schema);
  if (new TextEncoder().encode(json).length > limits.schemaBytes)
    throw refused(`must not be longer than ${limits.schemaBytes} bytes as JSON`, schema);
  return json;
};

const compile = (json: string): CheckData => {
  // A copy: no shared parts, and the caller cannot change it later.
  const schema = JSON.parse(json) as SchemaObject; // an object, as toJson has seen
  if (schema.type !== 'object') throw refused(`type at the root must be "object", got ${JSON.stringify(schema.type) ?? 'none'}`, schema);
  const draft = draftOf(schema);
  try {
    return checkOf(schema, draft);
  } catch (error) {
    throw error instanceof SchemaRefused ? refused(error.message, schema) : error;
  }
};

/** @throws SchemaRefused */
const checkOf = (schema: SchemaObject, draft: Draft): CheckData => {
  const tank = createTank();
  const patterns = createPatterns(tank);
  checkIsSchema(schema, draft);
  const graph = readGraph(schema, draft, patterns, (part) => checkIsSchema(part, draft));
  checkUnfolding(graph);
  const copy = copyForValidator(graph, draft);
  const options = { draft, tank, patterns, formats: createFormats(tank) };
  const validate = createValidator(copy, { ...options, allErrors: false });
  // Only bad data needs the second validator, which finds more than the first fault.
  let thorough: Validator | undefined;
  const explain = (data: unknown) => {
    thorough ??= createValidator(copy, { ...options, allErrors: true });
    return run(thorough, data, limits.faultFuel, tank.fill);
  };
  return (data) => {
    const reason = excess(data, limits.dataDepth, limits.dataValues);
    if (reason) return [{ field: ROOT, reason, value: data }];
    const first = run(validate, data, limits.fuel, tank.fill);
    if (first === undefined) return [{ field: ROOT, reason: 'takes too long to hold against the schema of the config type', value: data }];
    return first.length === 0 ? first : (explain(data) ?? first);
  };
};

/** @returns undefined when the fuel or the stack does not suffice */
const run = (validate: Validator, data: unknown, fuel: number, fill: (units: number) => void): readonly Violation[] | undefined => {
  fill(fuel);
  try {
    return validate(data) ? [] : violationsOf(validate.errors ?? []);
  } catch (error) {
    if (error instanceof OutOfFuel || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    validate.errors = null; // they hold on to the data
  }
};

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

const draftOf = (schema: SchemaObject): Draft => {
  const { $schema = 'http://json-schema.org/draft-07/schema#' } = schema;
  const draft = typeof $schema === 'string' ? DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined;
  if (!draft) throw refused(`$schema must be that of draft-07 (the default) or 2020-12, got ${JSON.stringify($schema)}`, schema);
  return draft;
};

const metaTank = createTank();
const metaPatterns = createPatterns(metaTank);
const metaValidators = new Map<Draft, Validator>();

const metaValidator = (draft: Draft): Validator => {
  const graph = readGraph(metaSchemas[draft], draft, metaPatterns, () => undefined);
  // Formats of the meta-schemas are notes.
  return createValidator(copyForValidator(graph, draft), { draft, allErrors: false, tank: metaTank, patterns: metaPatterns, formats: {} });
};

const checkIsSchema = (schema: unknown, draft: Draft) => {
  const validate = metaValidators.get(draft) ?? metaValidator(draft);
  metaValidators.set(draft, validate);
  const violations = run(validate, schema, limits.fuel, metaTank.fill);
  if (violations === undefined) throw new SchemaRefused('takes too long to read');
  if (violations.length > 0) throw new SchemaRefused(`is no valid schema of ${draft}: ${violationsText(violations)}`);
};

const refused = (reason: string, schema: unknown): ApiError => invalidField('schema', reason, schema);
