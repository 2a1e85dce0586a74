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
 * Limits how many subschemas apply to the same value: `allOf`, `if`, `$ref` and similar keywords apply subschemas in place.
 * A schema that refers to itself in this way would recurse infinitely, and one whose definitions each use the next one twice would take
 * exponential time; the author should learn of either mistake when writing the schema.
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

/** @returns the violations, in the order in which they were found; empty if the data is valid. Never throws. */
export type CheckData = (data: unknown) => readonly Violation[];

/** Compiled schemas by their JSON, with at most 2 Mi characters in total. Compiling one takes a millisecond, and the same few types are used all the time. */
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
  // A copy, without shared parts, that the caller cannot change later.
  const schema = JSON.parse(json) as SchemaObject; // an object, as `toJson` has checked
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
  // Only invalid data needs the second validator, which finds more than the first fault.
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

/** @returns undefined if validation runs out of fuel or stack */
const run = (validate: Validator, data: unknown, fuel: number, fill: (units: number) => void): readonly Violation[] | undefined => {
  fill(fuel);
  try {
    return validate(data) ? [] : violationsOf(validate.errors ?? []);
  } catch (error) {
    if (error instanceof OutOfFuel || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    validate.errors = null; // they would keep the data in memory
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
  // Formats in the meta-schemas are annotations.
  return createValidator(copyForValidator(graph, draft), { draft, allErrors: false, tank: metaTank, patterns: metaPatterns, formats: {} });
};

const checkIsSchema = (schema: unknown, draft: Draft) => {
  const validate = metaValidators.get(draft) ?? metaValidator(draft);
  metaValidators.set(draft, validate);
  const violations = run(validate, schema, limits.fuel, metaTank.fill);
  if (violations === undefined) throw new SchemaRefused('takes too long to read');
  if (violations.length > 0) throw new SchemaRefused(`is not a valid schema of ${draft}: ${violationsText(violations)}`);
};

const refused = (reason: string, schema: unknown): ApiError => invalidField('schema', reason, schema);
