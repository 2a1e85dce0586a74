import type { Group } from '../contract/api/kit/operation.ts';
import type { JsonSchema } from '../contract/api/surfaces/json-schema.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { software } from '../contract/version.ts';
import { JSON_TYPE } from '../contract/wire/media-types.ts';
import { type DescribedOperation, type DescribedParameter, describeOperations } from './describe-operations.ts';
import { ACCEPTED_DESCRIPTION, type DocumentInfo, tagsOf, titleOf } from './openapi.ts';

/**
 * The OpenAPI 2.0 document of one surface, for clients that do not support newer versions. Approximates unions and null, which 2.0 cannot
 * express.
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
    definitions: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, toSwagger(schema)])),
    securityDefinitions: { ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' } },
    security: [{ ztSession: [] }],
  };
};

/**
 * The address of a surface, in the format of OpenAPI 2.0.
 * @param base an address, or a path on the host that serves the document
 */
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
          ...(body
            ? [{ name: operation.body?.name, in: 'body', required: operation.body?.required !== false, schema: toSwagger(body) }]
            : []),
        ],
      }
    : {}),
  responses: {
    [status]: { description: status === 201 ? 'Created' : 'OK', ...(answer ? { schema: toSwagger(answer) } : {}) },
    ...(operation.accepted ? { 202: { description: ACCEPTED_DESCRIPTION, ...(answer ? { schema: toSwagger(answer) } : {}) } } : {}),
    ...Object.fromEntries(
      [...refusals].map(([refusal, codes]) => [
        refusal,
        { description: codes.map((code) => `\`${code}\``).join(', '), schema: toSwagger(surface.errorForm.schema) },
      ]),
    ),
  },
});

/** In 2.0, only body parameters have a schema. Other parameters have a few of its keywords as members of their own. */
const parameterObject = ({ name, in: location, required, schema }: DescribedParameter): object => {
  const { type = 'string', format, items, description, enum: values, minimum, maximum, minLength, maxLength, pattern } = toSwagger(schema);
  const keywords = {
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
  return { name, in: location, required, ...Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined)) };
};

const UNSUPPORTED: ReadonlySet<string> = new Set([
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

/** Converts a schema to the dialect of OpenAPI 2.0. */
const toSwagger = (schema: JsonSchema): JsonSchema => {
  if (schema.$ref !== undefined) return { $ref: schema.$ref.replace('#/components/schemas/', '#/definitions/') };
  const converted = Object.fromEntries(Object.entries(schema).filter(([key]) => !UNSUPPORTED.has(key))) as JsonSchema; // still a schema
  if (schema.const !== undefined) converted.enum = [schema.const];
  if (typeof schema.exclusiveMinimum === 'number') Object.assign(converted, { minimum: schema.exclusiveMinimum, exclusiveMinimum: true });
  if (typeof schema.exclusiveMaximum === 'number') Object.assign(converted, { maximum: schema.exclusiveMaximum, exclusiveMaximum: true });
  if (schema.properties) converted.properties = mapSchemas(schema.properties);
  if (typeof schema.items === 'object' && !Array.isArray(schema.items)) converted.items = toSwagger(schema.items);
  if (typeof schema.additionalProperties === 'object') converted.additionalProperties = toSwagger(schema.additionalProperties);
  if (schema.allOf) converted.allOf = schema.allOf.map((part) => toSwagger(part));
  if (schema.type === 'array') converted.items ??= {};
  return withoutUnions(converted, schema);
};

/** Swagger has no unions: `T or null` becomes T with the common extension `x-nullable`, others are dropped. */
const withoutUnions = (converted: JsonSchema, { anyOf, oneOf, type }: JsonSchema): JsonSchema => {
  const options = (anyOf ?? oneOf)?.filter((option) => option.type !== 'null');
  const [only] = options ?? [];
  if (options?.length === 1 && only) {
    const other = toSwagger(only);
    return other.$ref === undefined ? { ...other, ...converted, 'x-nullable': true } : { ...converted, allOf: [other], 'x-nullable': true };
  }
  if (!Array.isArray(type)) return converted;
  const types = (type as readonly string[]).filter((name) => name !== 'null');
  delete converted.type;
  if (types.length === 1) Object.assign(converted, { type: types[0] });
  return types.length < type.length ? { ...converted, 'x-nullable': true } : converted;
};

const mapSchemas = (schemas: NonNullable<JsonSchema['properties']>): NonNullable<JsonSchema['properties']> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typeof schema === 'boolean' ? {} : toSwagger(schema)]));
