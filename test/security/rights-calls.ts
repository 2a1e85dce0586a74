/** Calls of operations as the published document describes them. */
import { EXTENSIONS } from '../support/api-tokens.ts';
import { ADMIN, type Answer, type App, PASSWORD, type RequestOptions } from '../support/app.ts';
import { type Operation, PREFIXES } from './rights-table.ts';

export const LATER = '2099-01-01T00:00:00.000Z';

/** A schema of the published document. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface PublishedOperation {
  readonly security?: readonly unknown[];
  readonly 'x-permissions'?: readonly string[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
export const publishedBy = async (app: App): Promise<Document> =>
  (await app.request('GET', `${EXTENSIONS}/openapi.json`, { as: null })).body;

/** The least that a schema accepts. */
const sample = (document: Document, { $ref, ...schema }: Schema): unknown => {
  const { const: only, enum: all, anyOf, oneOf = anyOf, type, required = [], properties = {}, items = {} } = schema;
  const [first] = oneOf ?? [];
  if ($ref) return sample(document, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  if (only !== undefined || all) return only ?? all?.[0];
  if (first) return sample(document, first);
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sample(document, properties[name] ?? {})]));
  if (type === 'array') return Array.from({ length: Number(schema.minItems ?? 0) }, () => sample(document, items));
  if (type === 'string') return schema.format === 'date-time' ? LATER : 'x'.repeat(Number(schema.minLength ?? 1));
  return type === 'boolean' ? false : type === 'integer' || type === 'number' ? (schema.minimum ?? 0) : {};
};

/** Fields that an operation takes although the document leaves them open. */
const MORE: Readonly<Record<string, object>> = {
  'POST /authenticate': ADMIN,
  'POST /external-jwt-signers/discover': { issuer: 'https://issuer.example' },
  'POST /external-jwt-signers': { jwksEndpoint: 'https://issuer.example/keys' },
  'PUT /external-jwt-signers/{id}': { jwksEndpoint: 'https://issuer.example/keys' },
};

/**
 * A body that is valid for an operation, so that what is judged next is the right; what it names need not exist. Text is sent as
 * `text/plain`, or as lines to the operations that take these.
 */
export const bodyFor = (document: Document, operation: Operation): unknown => {
  const { requestBody } = document.paths[`${PREFIXES[operation.api]}${operation.path}`]?.[operation.method.toLowerCase()] ?? {};
  const [content] = Object.values(requestBody?.content ?? {});
  const body = content && sample(document, content.schema);
  const more = MORE[`${operation.method} ${operation.path}`];
  return more ? { ...Object(body), ...more } : body;
};

export const send = (app: App, { api, method, path }: Operation, body: unknown, id: string, more: RequestOptions): Promise<Answer> => {
  const query = { '/authenticate': '?method=password', '/enroll': '?method=ott&token=none' }[path] ?? '';
  const sent =
    typeof body === 'string'
      ? { raw: body, headers: { 'content-type': path.startsWith('/state/lines/') ? 'application/x-ndjson' : 'text/plain' } }
      : { body };
  return app.request(method, `${PREFIXES[api]}${path.replaceAll(/\{\w+\}/g, id)}${query}`, { ...sent, ...more });
};

export const loginAt = async (app: App, api: 'management' | 'client', username: string): Promise<string> =>
  (await app.request('POST', `${PREFIXES[api]}/authenticate?method=password`, { as: null, body: { username, password: PASSWORD } })).body
    .data.token;

/** With the right, but for administrators only. */
export const isForAdministrators = ({ status, body }: Answer): boolean => status === 401 && body.error?.cause?.code === 'UNHANDLED';
