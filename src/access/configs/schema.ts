import { LRUCache } from 'lru-cache';
import { type ApiError, invalidField } from '../../contract/errors/index.ts';
import { createFormats } from './formats/index.ts';
import { createStepBudget, exceededLimit, limits } from './limits.ts';
import { checkIsSchema } from './meta-validation.ts';
import { createPatterns } from './patterns.ts';
import { runValidator } from './run-validator.ts';
import { copyForValidator } from './schema-copy.ts';
import { type Draft, isObject, readGraph, type SchemaObject, SchemaRefused } from './schema-graph.ts';
import { checkUnfolding } from './unfolding.ts';
import { createValidator, type Validator } from './validator/index.ts';
import { ROOT, type Violation } from './violations.ts';

/** @returns the violations, in the order in which they were found; empty if the data is valid. Never throws. */
export type CheckData = (data: unknown) => readonly Violation[];

/**
 * Compiled schemas by their JSON, with at most 2 Mi characters in total. Compiling one takes a millisecond, and the same few types are used
 * all the time.
 */
const compiled = new LRUCache<string, CheckData>({ maxSize: 2 ** 21, sizeCalculation: (_check, json) => json.length });

/**
 * Compiles the schema of a config type: JSON Schema draft-07, or 2020-12 if `$schema` says so. References stay within the schema, patterns
 * are RE2, and the cost of any check is bounded (see `limits.ts`).
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
  const reason = isObject(schema) ? exceededLimit(schema, limits.schemaDepth, limits.schemaBytes) : 'must be an object';
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
  const budget = createStepBudget();
  const patterns = createPatterns(budget);
  checkIsSchema(schema, draft);
  const graph = readGraph(schema, draft, patterns, (part) => checkIsSchema(part, draft));
  checkUnfolding(graph);
  const copy = copyForValidator(graph, draft);
  const options = { draft, budget, patterns, formats: createFormats(budget) };
  const validate = createValidator(copy, { ...options, allErrors: false });
  // Only invalid data needs the second validator, which finds all faults.
  let allFaults: Validator | undefined;
  const explain = (data: unknown) => {
    allFaults ??= createValidator(copy, { ...options, allErrors: true });
    return runValidator(allFaults, data, limits.faultFuel, budget.fill);
  };
  return (data) => {
    const reason = exceededLimit(data, limits.dataDepth, limits.dataValues);
    if (reason) return [{ field: ROOT, reason, value: data }];
    const first = runValidator(validate, data, limits.fuel, budget.fill);
    if (first === undefined)
      return [{ field: ROOT, reason: 'takes too long to validate against the schema of the config type', value: data }];
    return first.length === 0 ? first : (explain(data) ?? first);
  };
};

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

const draftOf = (schema: SchemaObject): Draft => {
  const { $schema = 'http://json-schema.org/draft-07/schema#' } = schema;
  const draft = typeof $schema === 'string' ? DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined;
  if (!draft) throw refused(`$schema must identify draft-07 (the default) or 2020-12, got ${JSON.stringify($schema)}`, schema);
  return draft;
};

const refused = (reason: string, schema: unknown): ApiError => invalidField('schema', reason, schema);
