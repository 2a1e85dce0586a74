import type { ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { type ApiError, invalidField } from '../../errors/index.ts';
import { createTank, excess, limits, OutOfFuel } from './limits.ts';
import { createPatterns } from './patterns.ts';
import { copyForValidator } from './schema-copy.ts';
import { checkUnfolding } from './schema-cost.ts';
import { type Draft, isObject, readGraph, type SchemaObject, SchemaRefused } from './schema-graph.ts';
import { createMetaValidator, createValidator } from './validator.ts';
import { describe, ROOT, type Violation, violationsOf } from './violations.ts';

/** @returns what is wrong with the data, the first fault first; empty when nothing is. Never throws. */
export type CheckData = (data: unknown) => readonly Violation[];

/** Compiled schemas by their JSON, 2 Mi characters of it in all: compiling takes milliseconds, and the same few types are used all the time. */
const compiled = new LRUCache<string, CheckData>({ maxSize: 2 ** 21, sizeCalculation: (_check, json) => json.length });

/**
 * Compiles the schema of a config type: JSON Schema draft-07, or 2020-12 if `$schema` says so. References stay within the schema,
 * patterns are those of RE2, and cost is bounded (see `limits.ts`) whatever schema and data are.
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
  // A copy of one's own: no getters, no shared parts, and nobody changes it later.
  const schema = JSON.parse(json) as SchemaObject; // an object, as toJson has seen
  if (schema.type !== 'object') throw refused(`type at the root must be "object", got ${JSON.stringify(schema.type) ?? 'none'}`, schema);
  const draft = draftOf(schema);
  const tank = createTank();
  const patterns = createPatterns(tank);
  try {
    checkIsSchema(schema, draft);
    const graph = readGraph(schema, draft, patterns, (part) => checkIsSchema(part, draft));
    checkUnfolding(graph);
    const copy = copyForValidator(graph, draft);
    const first = createValidator(copy, draft, false, tank, patterns);
    let all: ValidateFunction | undefined; // most schemas never see bad data
    return (data) => {
      const reason = excess(data, limits.dataDepth, limits.dataValues);
      if (reason) return [{ field: ROOT, reason, value: data }];
      const one = run(first, data, limits.fuel, tank.fill);
      if (one === undefined) return [{ field: ROOT, reason: 'takes too long to hold against the schema of the config type', value: data }];
      if (one.length === 0) return one;
      all ??= createValidator(copy, draft, true, tank, patterns);
      return run(all, data, limits.faultFuel, tank.fill) ?? one;
    };
  } catch (error) {
    throw asRefusal(error, schema);
  }
};

/** @returns undefined when the fuel or the stack does not suffice */
const run = (validate: ValidateFunction, data: unknown, fuel: number, fill: (units: number) => void): readonly Violation[] | undefined => {
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

const DRAFTS: Readonly<Record<string, Draft>> = {
  'json-schema.org/draft-07/schema': 'draft-07',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

const draftOf = (schema: SchemaObject): Draft => {
  if (schema.$schema === undefined) return 'draft-07';
  const draft =
    DRAFTS[
      String(schema.$schema)
        .replace(/^https?:\/\//, '')
        .replace(/#$/, '')
    ];
  if (!draft) throw refused(`$schema must be that of draft-07 (the default) or 2020-12, got ${JSON.stringify(schema.$schema)}`, schema);
  return draft;
};

const metaTank = createTank();
const metaPatterns = createPatterns(metaTank);
const metaValidators = new Map<Draft, ValidateFunction>();

const checkIsSchema = (schema: unknown, draft: Draft) => {
  const validate = metaValidators.get(draft) ?? createMetaValidator(draft, metaTank, metaPatterns);
  metaValidators.set(draft, validate);
  const violations = run(validate, schema, limits.fuel, metaTank.fill);
  if (violations === undefined) throw new SchemaRefused('takes too long to read');
  if (violations.length > 0) throw new SchemaRefused(`is no valid schema of ${draft}: ${describe(violations)}`);
};

const asRefusal = (error: unknown, schema: unknown): unknown => {
  if (error instanceof SchemaRefused) return refused(error.message, schema);
  // The platform forbids generating code (some workers, a content security policy): not the schema's fault.
  if (error instanceof EvalError) return error;
  if (error instanceof RangeError) return refused('its definitions refer to each other in too long a chain', schema);
  return error instanceof Error ? refused(`does not compile: ${error.message}`, schema) : error;
};

const refused = (reason: string, schema: unknown): ApiError => invalidField('schema', reason, schema);
