import { type Group, isForEverySession, type Operation } from '../contract/api/kit/operation.ts';
import { permissionsFor } from '../contract/api/permissions.ts';
import type { ErrorForm } from '../contract/api/surfaces/envelope.ts';
import { allSurfaces } from '../contract/api/surfaces/index.ts';
import type { JsonSchema } from '../contract/api/surfaces/json-schema.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { software } from '../contract/version.ts';
import { JSON_TYPE } from '../contract/wire/media-types.ts';
import { type DescribedOperation, type DescribedParameter, describeOperations } from './describe-operations.ts';
import { withEntityReferences } from './entity-references.ts';

export interface DocumentInfo {
  /** Address under which clients reach the controller. */
  readonly address: string;
  /** Default: this software's. */
  readonly version?: string;
  /** The surfaces of a document of several. Default: all. */
  readonly mounted?: readonly Surface[];
}

/**
 * The OpenAPI 3.1 document of one surface or of several. In the latter, paths include the prefix; if two surfaces share an operation id,
 * the second one's surface name is appended to it, because ids must be unique in a document.
 */
export const openApiDocument = (
  groups: readonly Group[],
  { address, version = software.version, mounted = allSurfaces }: DocumentInfo,
  surface?: Surface,
): object => {
  const { operations, components } = describeOperations(groups, surface ? [surface] : allSurfaces.filter((each) => mounted.includes(each)));
  const paths: Record<string, Record<string, object>> = {};
  const ids = new Set<string>();
  const shared: Shared = {
    parameters: sharedParts('parameters', operations.flatMap(parameterParts)),
    answers: sharedParts('responses', operations.map(answerPart)),
    refusals: refusalComponents(),
  };
  for (const described of operations) {
    const { operation } = described;
    const path = surface === undefined ? `${described.surface.prefix}${operation.path}` : operation.path;
    const operationId = ids.has(operation.operationId)
      ? `${operation.operationId}${capitalised(described.surface.name)}`
      : operation.operationId;
    ids.add(operationId);
    (paths[path] ??= {})[operation.method.toLowerCase()] = operationObject(described, operationId, shared);
  }
  return {
    openapi: '3.1.0',
    info: { title: titleOf(surface), version },
    servers: [{ url: surface === undefined ? address : `${address}${surface.prefix}` }],
    tags: tagsOf(groups, operations),
    paths,
    components: {
      schemas: withEntityReferences(components),
      responses: { ...shared.answers.components, ...shared.refusals.components },
      parameters: shared.parameters.components,
      securitySchemes: {
        ztSession: {
          type: 'apiKey',
          in: 'header',
          name: 'zt-session',
          description: 'The token of an API session, from the answer of `authenticate`.',
        },
      },
    },
    security: [{ ztSession: [] }],
  };
};

export const titleOf = (surface: Surface | undefined): string => `Overlay controller${surface ? `: ${surface.name} API` : ''}`;

/** The groups that have an operation in the document. */
export const tagsOf = (groups: readonly Group[], operations: readonly DescribedOperation[]): readonly object[] => {
  const used = new Set(operations.map(({ group }) => group));
  return groups.filter(({ name }) => used.has(name)).map(({ name, about }) => ({ name, description: about }));
};

/** Components that the operations of a document refer to. */
interface Shared {
  readonly parameters: SharedParts;
  readonly answers: SharedParts;
  readonly refusals: RefusalComponents;
}

const operationObject = (described: DescribedOperation, operationId: string, { parameters, answers, refusals }: Shared): object => {
  const { operation, group, body, status, surface } = described;
  const own = parameterParts(described);
  return {
    operationId,
    summary: operation.summary,
    tags: [group],
    ...(operation.permission === 'open' ? { security: [] } : {}),
    ...(operation.permission.includes('.') && !isForEverySession(operation, surface) ? { 'x-permissions': permissionsFor(operation) } : {}),
    ...(own.length > 0 ? { parameters: own.map(parameters.refer) } : {}),
    ...(body ? { requestBody: { required: operation.body?.required !== false, content: bodyContent(operation, body) } } : {}),
    responses: {
      [status]: answers.refer(answerPart(described)),
      ...(operation.accepted ? { 202: { description: ACCEPTED_DESCRIPTION, content: contentOf(described) } } : {}),
      ...Object.fromEntries([...described.refusals].map(([refusal, codes]) => [refusal, refusals.refer(surface, codes)])),
    },
  };
};

const parameterParts = ({ parameters }: DescribedOperation): readonly NamedPart[] =>
  parameters.map((each) => ({ name: each.name, value: parameterObject(each) }));

/** The answer to a request that succeeds, named after the schemas that it refers to. */
const answerPart = (described: DescribedOperation): NamedPart => {
  const value = { description: described.status === 201 ? 'Created' : 'OK', content: contentOf(described) };
  const schemas = [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  return { name: schemas.join('.') || 'OK', value };
};

/** Descriptions of error responses. Operations share them, since most have the same errors. */
interface RefusalComponents {
  readonly components: Readonly<Record<string, object>>;
  /** @returns a reference to the response with these error codes */
  refer(surface: Surface, codes: readonly string[]): object;
}

const refusalComponents = (): RefusalComponents => {
  const components: Record<string, object> = {};
  /** The error forms so far. Surfaces with the first one share components; the others add the surface's name. */
  const forms: ErrorForm[] = [];
  return {
    components,
    refer: ({ errorForm, name: surfaceName }, codes) => {
      if (!forms.includes(errorForm)) forms.push(errorForm);
      const name = `${codes.join('.')}${forms[0] === errorForm ? '' : `.${surfaceName}`}`;
      const { contentType, schema } = errorForm;
      components[name] ??= { description: codes.map((code) => `\`${code}\``).join(', '), content: { [contentType]: { schema } } };
      return { $ref: `#/components/responses/${name}` };
    },
  };
};

export const ACCEPTED_DESCRIPTION = 'Accepted: the work continues, and the header `location` contains the address of its status';

const parameterObject = ({ schema: { description, ...schema }, ...parameter }: DescribedParameter): object => ({
  ...parameter,
  ...(description === undefined ? {} : { description }),
  schema,
});

/** Bodies of media types other than JSON are described as strings. */
const bodyContent = ({ body }: Operation, schema: JsonSchema): object =>
  Object.fromEntries((body?.media ?? [JSON_TYPE]).map((type) => [type, { schema: type.endsWith('json') ? schema : { type: 'string' } }]));

const contentOf = ({ operation: { answer }, answer: schema, offers }: DescribedOperation): object =>
  answer.is === 'raw' || answer.is === 'response' || answer.is === 'events'
    ? Object.fromEntries(offers.map((type) => [type, type.endsWith('json') ? {} : { schema: { type: 'string' } }]))
    : Object.fromEntries(offers.map((type) => [type, { schema }]));

const capitalised = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** A parameter or an answer of an operation, and the name that it would have as a component. */
interface NamedPart {
  readonly name: string;
  readonly value: object;
}

interface SharedParts {
  /** The parts that several operations have, by name. */
  readonly components: Readonly<Record<string, object>>;
  /** @returns a reference to a component, or the part itself if it is none */
  refer(part: NamedPart): object;
}

/**
 * Describes the parts that several operations share only once, as components of the document. Of parts with the same name, the most
 * frequent one becomes a component.
 * @param kind the member of `components` that contains them
 * @param parts the parts of all operations
 */
const sharedParts = (kind: 'parameters' | 'responses', parts: readonly NamedPart[]): SharedParts => {
  const uses = new Map<string, number>();
  const usesOf = (value: object | undefined): number => uses.get(JSON.stringify(value)) ?? 0;
  for (const { value } of parts) uses.set(JSON.stringify(value), usesOf(value) + 1);
  const components: Record<string, object> = {};
  for (const { name, value } of parts) if (usesOf(value) > Math.max(1, usesOf(components[name]))) components[name] = value;
  const texts = new Map(Object.entries(components).map(([name, value]) => [name, JSON.stringify(value)]));
  return {
    components,
    refer: ({ name, value }) => (texts.get(name) === JSON.stringify(value) ? { $ref: `#/components/${kind}/${name}` } : value),
  };
};
