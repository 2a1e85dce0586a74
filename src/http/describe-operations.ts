import type { Group, Operation } from '../contract/api/kit/operation.ts';
import { parametersOf } from '../contract/api/kit/path-template.ts';
import { refusalsOf } from '../contract/api/kit/refusals.ts';
import type { JsonSchema, JsonSchemaComponents } from '../contract/api/surfaces/json-schema.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { ErrorCode } from '../contract/errors/index.ts';
import { jsonSchemas } from './json-schemas.ts';
import { offersOf } from './media-types.ts';
import { requestHeaders } from './request-headers.ts';

/** An operation of one surface, with everything that API descriptions say about it, in any format. */
export interface DescribedOperation {
  readonly surface: Surface;
  readonly group: string;
  readonly operation: Operation;
  readonly parameters: readonly DescribedParameter[];
  readonly body: JsonSchema | undefined;
  readonly status: number;
  /** Media types of its answer. */
  readonly offers: readonly string[];
  /** The schema of the whole answer, with its envelope, or of the data of each event; undefined for an answer without envelope. */
  readonly answer: JsonSchema | undefined;
  /** The error codes that it may answer with, by status. */
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
  readonly components: JsonSchemaComponents;
}

/** Derives everything that API descriptions say about the operations of some surfaces from the declarations. */
export const describeOperations = (groups: readonly Group[], surfaces: readonly Surface[]): Described => {
  const offered = surfaces.flatMap((surface) =>
    groups.flatMap((group) =>
      Object.values(group.operations)
        .filter((operation) => operation.surfaces.includes(surface))
        .map((operation) => ({ surface, group: group.name, operation, key: keyOf(surface, operation) })),
    ),
  );
  const inputs = offered.flatMap(({ operation: { query, body }, key }) => [
    ...(query ? [[`${key} query`, query] as const] : []),
    ...(body ? [[`${key} body`, body.schema] as const] : []),
  ]);
  const outputs = offered.flatMap(({ operation: { answer }, key }) =>
    'schema' in answer ? [[key, answer.schema] as const] : 'item' in answer ? [[key, answer.item] as const] : [],
  );
  const schemas = jsonSchemas(Object.fromEntries(inputs), Object.fromEntries(outputs));
  return {
    operations: offered.map(({ surface, group, operation, key }) => ({
      surface,
      group,
      operation,
      parameters: [
        ...pathParameters(operation.path),
        ...queryParametersOf(schemas.inputs[`${key} query`]),
        ...Object.values(operation.headers ?? {}).map((name) => ({ name, in: 'header', required: false, schema: TEXT }) as const),
        ...acceptedHeaders.filter(({ accepts }) => accepts(operation)).map(({ parameter }) => parameter),
      ],
      body: schemas.inputs[`${key} body`],
      status: operation.status,
      offers: offersOf(surface, operation),
      answer: enveloped(surface, operation, schemas.outputs[key]),
      refusals: refusalsOf(operation),
    })),
    components: Object.assign(
      {},
      schemas.components,
      ...surfaces.flatMap(({ envelope, errorForm }) => [envelope.components, errorForm.components]),
    ),
  };
};

const keyOf = ({ name }: Surface, { method, path }: Operation): string => `${name} ${method} ${path}`;

const pathParameters = (path: string): readonly DescribedParameter[] =>
  parametersOf(path).map((name) => ({ name, in: 'path', required: true, schema: TEXT }));

const queryParametersOf = ({ properties = {}, required = [] }: JsonSchema = {}): readonly DescribedParameter[] =>
  // The properties of zod's objects are schemas, never booleans.
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: schema as JsonSchema,
  }));

const enveloped = ({ envelope }: Surface, { answer }: Operation, data: JsonSchema | undefined): JsonSchema | undefined =>
  data !== undefined && answer.is !== 'events' && ('schema' in answer || 'item' in answer) ? envelope.schemaOf(answer, data) : undefined;

const TEXT: JsonSchema = { type: 'string' };

const acceptedHeaders = requestHeaders.map(({ name, description, accepts }) => ({
  accepts,
  parameter: { name, in: 'header', required: false, schema: { ...TEXT, description } } as const,
}));
