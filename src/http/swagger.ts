import type { Group } from '../api/kit/operation.ts';
import type { JsonSchema } from '../api/surfaces/json-schema.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { software } from '../version.ts';
import { JSON_TYPE } from '../wire/media-types.ts';
import { type DescribedOperation, type DescribedParameter, describeOperations } from './described.ts';
import { type DocumentInfo, GOES_ON, tagsOf, titleOf } from './openapi.ts';

/**
 * The OpenAPI 2.0 document of one surface, for clients without support for newer versions. What 2.0 cannot express (unions, null) is approximated.
 */
export const swaggerDocument = (
  groups: readonly Group[],
  surface: Surface,
  { address, version = software.version }: DocumentInfo,
): object => {
  const { operations, components } = describeOperations(groups, [surface]);
  const paths: Record<string, Record<string, object>> = {};
  for (const described of operations)
    (paths[described.operation.path] ??= {})[described.operation.method.toLowerCase()] = operationObject(described);
  return {
    swagger: '2.0',
    info: { title: titleOf(surface), version },
    ...swaggerLocation(surface, address),
    schemes: [new URL(address).protocol.slice(0, -1)],
    consumes: [JSON_TYPE],
    produces: [JSON_TYPE],
    tags: tagsOf(groups, operations),
    paths,
    definitions: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, older(schema)])),
    securityDefinitions: { ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' } },
    security: [{ ztSession: [] }],
  };
};

/** The address of a surface, in the form of 2.0. @param base an address, or a path at the host that serves the document */
export const swaggerLocation = ({ prefix }: Surface, base: string): object => {
  if (base.startsWith('/')) return { basePath: `${base}${prefix}` };
  const { host, pathname } = new URL(base);
  return { host, basePath: `${pathname.replace(/\/$/, '')}${prefix}` };
};

const operationObject = ({ surface, operation, group, parameters, body, status, answer, refusals }: DescribedOperation): object => ({
  operationId: operation.operationId,
  summary: operation.summary,
  tags: [group],
  ...(operation.permission === 'open' ? { security: [] } : {}),
  ...(operation.body?.media ? { consumes: operation.body.media } : {}),
  ...(operation.answer.is === 'raw' ? { produces: operation.answer.contentTypes } : {}),
  ...(parameters.length > 0 || body
    ? {
        parameters: [
          ...parameters.map(parameterObject),
          ...(body ? [{ name: operation.body?.name, in: 'body', required: operation.body?.required !== false, schema: older(body) }] : []),
        ],
      }
    : {}),
  responses: {
    [status]: { description: status === 201 ? 'Created' : 'OK', ...(answer ? { schema: older(answer) } : {}) },
    ...(operation.accepted ? { 202: { description: GOES_ON, ...(answer ? { schema: older(answer) } : {}) } } : {}),
    ...Object.fromEntries(
      [...refusals].map(([refusal, codes]) => [
        refusal,
        { description: codes.map((code) => `\`${code}\``).join(', '), schema: older(surface.errorForm.schema) },
      ]),
    ),
  },
});

/** Parameters other than bodies have no schema in 2.0: its few keywords stand beside the name. */
const parameterObject = ({ name, in: place, required, schema }: DescribedParameter): object => {
  const { type = 'string', format, items, description, enum: values, minimum, maximum, minLength, maxLength, pattern } = older(schema);
  const kept = {
    type,
    format,
    items,
    description,
    enum: values,
    minimum,
    maximum,
    minLength,
    maxLength,
    pattern,
    ...(type === 'array' ? { collectionFormat: 'multi' } : {}),
  };
  return { name, in: place, required, ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) };
};

const DROPPED: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'const',
  'examples',
  'propertyNames',
  'contentEncoding',
  'exclusiveMinimum',
  'exclusiveMaximum',
  '$schema',
]);

/** A schema in the dialect of OpenAPI 2.0. */
const older = (schema: JsonSchema): JsonSchema => {
  if (schema.$ref !== undefined) return { $ref: schema.$ref.replace('#/components/schemas/', '#/definitions/') };
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !DROPPED.has(key))) as JsonSchema; // fewer keywords of a schema are a schema
  if (schema.const !== undefined) kept.enum = [schema.const];
  if (typeof schema.exclusiveMinimum === 'number') Object.assign(kept, { minimum: schema.exclusiveMinimum, exclusiveMinimum: true });
  if (typeof schema.exclusiveMaximum === 'number') Object.assign(kept, { maximum: schema.exclusiveMaximum, exclusiveMaximum: true });
  if (schema.properties) kept.properties = mapped(schema.properties);
  if (typeof schema.items === 'object' && !Array.isArray(schema.items)) kept.items = older(schema.items);
  if (typeof schema.additionalProperties === 'object') kept.additionalProperties = older(schema.additionalProperties);
  if (schema.allOf) kept.allOf = schema.allOf.map((part) => older(part));
  if (schema.type === 'array') kept.items ??= {};
  return withoutUnions(kept, schema);
};

/** Swagger has no unions: only `T or null` is kept, as the common extension `x-nullable`. */
const withoutUnions = (kept: JsonSchema, { anyOf, oneOf, type }: JsonSchema): JsonSchema => {
  const options = (anyOf ?? oneOf)?.filter((option) => option.type !== 'null');
  const [only] = options ?? [];
  if (options?.length === 1 && only) {
    const other = older(only);
    return other.$ref === undefined ? { ...other, ...kept, 'x-nullable': true } : { ...kept, allOf: [other], 'x-nullable': true };
  }
  if (!Array.isArray(type)) return kept;
  const types = (type as readonly string[]).filter((name) => name !== 'null');
  delete kept.type;
  if (types.length === 1) Object.assign(kept, { type: types[0] });
  return types.length < type.length ? { ...kept, 'x-nullable': true } : kept;
};

const mapped = (schemas: NonNullable<JsonSchema['properties']>): NonNullable<JsonSchema['properties']> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typeof schema === 'boolean' ? {} : older(schema)]));
