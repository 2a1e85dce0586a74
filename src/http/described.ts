import type { Api, Group, Operation } from '../api/kit/operation.ts';
import { refusalsOf } from '../api/kit/refusals.ts';
import type { ErrorCode } from '../errors/index.ts';
import { type JsonSchema, jsonSchemas } from './json-schemas.ts';

/** An operation of one API, with all that a description of it says, whatever the format. */
export interface DescribedOperation {
  readonly api: Api;
  readonly group: string;
  readonly operation: Operation;
  readonly parameters: readonly DescribedParameter[];
  readonly body: JsonSchema | undefined;
  readonly status: number;
  /** Of the whole answer, envelope included; undefined for an answer without envelope. */
  readonly answer: JsonSchema | undefined;
  /** The codes of each status that it may refuse with. */
  readonly refusals: ReadonlyMap<number, readonly ErrorCode[]>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Described {
  readonly operations: readonly DescribedOperation[];
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/** Everything that the documents say of the operations of some APIs, derived from their declarations. */
export const describe = (groups: readonly Group[], apis: readonly Api[]): Described => {
  const chosen = apis.flatMap((api) =>
    groups.flatMap((group) =>
      Object.values(group.operations)
        .filter((operation) => operation.apis.includes(api))
        .map((operation) => ({ api, group: group.name, operation, key: keyOf(api, operation) })),
    ),
  );
  const inputs = chosen.flatMap(({ operation: { query, body }, key }) => [
    ...(query ? [[`${key} query`, query] as const] : []),
    ...(body ? [[`${key} body`, body.schema] as const] : []),
  ]);
  const outputs = chosen.flatMap(({ operation: { answer }, key }) =>
    answer.is === 'raw' ? [] : [[key, answer.is === 'page' ? answer.item : answer.schema] as const],
  );
  const schemas = jsonSchemas(Object.fromEntries(inputs), Object.fromEntries(outputs));
  return {
    operations: chosen.map(({ api, group, operation, key }) => ({
      api,
      group,
      operation,
      parameters: [
        ...pathParameters(operation.path),
        ...queryParametersOf(schemas.inputs[`${key} query`]),
        ...Object.values(operation.headers ?? {}).map((name) => ({ name, in: 'header', required: false, schema: TEXT }) as const),
      ],
      body: schemas.inputs[`${key} body`],
      status: operation.status ?? (operation.answer.is === 'created' ? 201 : 200),
      answer: enveloped(operation, schemas.outputs[key]),
      refusals: refusalsOf(operation),
    })),
    components: { ...schemas.components, ...ENVELOPE_PARTS },
  };
};

const keyOf = (api: Api, { method, path }: Operation): string => `${api} ${method} ${path}`;

const pathParameters = (path: string): readonly DescribedParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const queryParametersOf = ({ properties = {}, required = [] }: JsonSchema = {}): readonly DescribedParameter[] =>
  // The properties of zod's objects are schemas, never booleans.
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: schema as JsonSchema,
  }));

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const enveloped = ({ answer }: Operation, data: JsonSchema | undefined): JsonSchema | undefined => {
  if (answer.is === 'raw' || data === undefined) return undefined;
  const isPage = answer.is === 'page';
  const isCounted = isPage || (answer.is === 'data' && answer.counts !== undefined);
  return {
    type: 'object',
    required: ['data', 'meta'],
    properties: { data: isPage ? { type: 'array', items: data } : data, meta: refTo(isCounted ? 'PageMeta' : 'Meta') },
  };
};

const TEXT: JsonSchema = { type: 'string' };
const COUNT: JsonSchema = { type: 'integer', format: 'int64' };
const META_PROPERTIES = { apiEnrollmentVersion: TEXT, apiVersion: TEXT };

/** The parts of the envelope, which no operation declares because all have them. */
const ENVELOPE_PARTS: Readonly<Record<string, JsonSchema>> = {
  Meta: { type: 'object', required: ['apiEnrollmentVersion', 'apiVersion'], properties: META_PROPERTIES },
  Pagination: {
    type: 'object',
    required: ['limit', 'offset', 'totalCount'],
    properties: { limit: COUNT, offset: COUNT, totalCount: COUNT },
  },
  PageMeta: {
    type: 'object',
    required: ['apiEnrollmentVersion', 'apiVersion', 'filterableFields', 'pagination'],
    properties: { ...META_PROPERTIES, filterableFields: { type: 'array', items: TEXT }, pagination: refTo('Pagination') },
  },
  ErrorCause: {
    type: 'object',
    description:
      'A field of the request (`field`, `reason`, `value`), another error (`code`, `message`), or the posture checks that fail, by the ids of their policies (`message`, `data`).',
    properties: { field: TEXT, reason: TEXT, value: TEXT, code: TEXT, message: TEXT, data: { type: 'object' } },
  },
  ErrorDetail: {
    type: 'object',
    required: ['code', 'message', 'requestId'],
    properties: { code: TEXT, message: TEXT, requestId: TEXT, cause: refTo('ErrorCause') },
  },
  ErrorEnvelope: { type: 'object', required: ['error', 'meta'], properties: { error: refTo('ErrorDetail'), meta: refTo('Meta') } },
};
