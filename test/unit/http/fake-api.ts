import * as z from 'zod';
import type { CallSource } from '../../../src/call/call-source.ts';
import type { Entry, Invoke } from '../../../src/call/entry.ts';
import { decode } from '../../../src/call/pipeline/decode.ts';
import { defaultSettings } from '../../../src/call/settings.ts';
import { list, mapOf, textUpTo } from '../../../src/contract/api/kit/bounded.ts';
import { CREATED, data, EMPTY, type Operation, operation, page } from '../../../src/contract/api/kit/operation.ts';
import { surfaces } from '../../../src/contract/api/surfaces/index.ts';
import { unauthorized } from '../../../src/contract/errors/index.ts';
import { createHandler, type Handle, type HandlerOptions } from '../../../src/http/handler.ts';
import type { CoreAnswer, CoreRequest } from '../../../src/http/message.ts';

/** A small API with one operation of each shape, and a pipeline that knows one token: `good`. */

const text = textUpTo(1_000_000);
const thing = z.object({ name: text.min(1), count: z.int().optional(), tags: mapOf(z.unknown(), 100).optional() }).meta({ id: 'Thing' });
const listQuery = z.object({ filter: text.optional(), roleFilter: list(text, 100).optional() });
const everywhere = { surfaces: [surfaces.management, surfaces.client], permission: 'open' } as const;
const meant = { permission: 'session' } as const;

export const operations = {
  root: operation('GET', '/', { operationId: 'listRoot', summary: 'Version', answer: data(z.unknown()), ...everywhere }),
  version: operation('GET', '/version', { operationId: 'listVersion', summary: 'Version', answer: data(z.unknown()), ...everywhere }),
  authorities: operation('GET', '/.well-known/est/cacerts', {
    operationId: 'listWellKnownCas',
    summary: 'Authorities',
    answer: { is: 'raw', contentTypes: ['application/pkcs7-mime', 'application/json'] },
    ...everywhere,
  }),
  document: operation('GET', '/document', {
    operationId: 'getDocument',
    summary: 'A document',
    answer: { is: 'raw', contentTypes: ['application/json', 'text/yaml'] },
    ...everywhere,
  }),
  login: operation('POST', '/authenticate', {
    operationId: 'authenticate',
    summary: 'Log in',
    query: z.object({ method: z.enum(['password', 'cert']) }),
    body: { schema: thing.partial(), name: 'auth', required: false },
    answer: data(z.unknown()),
    ...everywhere,
  }),
  list: operation('GET', '/things', { operationId: 'listThings', summary: 'List', query: listQuery, answer: page(z.unknown()), ...meant }),
  create: operation('POST', '/things', {
    operationId: 'createThing',
    summary: 'Create',
    body: { schema: thing, name: 'thing' },
    answer: CREATED,
    ...meant,
  }),
  get: operation('GET', '/things/{id}', { operationId: 'detailThing', summary: 'Get', answer: data(z.unknown()), ...meant }),
  remove: operation('DELETE', '/things/{id}', { operationId: 'deleteThing', summary: 'Delete', answer: EMPTY, ...meant }),
  part: operation('GET', '/things/{id}/parts/{part}', { operationId: 'detailPart', summary: 'Part', answer: data(z.unknown()), ...meant }),
  count: operation('POST', '/things/count', {
    operationId: 'countThings',
    summary: 'Count',
    answer: data(z.unknown()),
    status: 202,
    ...meant,
  }),
  sign: operation('POST', '/sign', {
    operationId: 'signThing',
    summary: 'Sign',
    permission: 'open',
    headers: { code: 'x-one-time-code' },
    body: { schema: z.union([text, thing]), name: 'request', media: ['application/json', 'text/plain', 'application/x-pem-file'] },
    answer: data(z.unknown()),
  }),
  extra: operation('GET', '/extra', {
    operationId: 'getExtra',
    summary: 'Extra',
    surfaces: [surfaces.extensions],
    permission: 'open',
    answer: data(z.unknown()),
  }),
  clientOnly: operation('GET', '/mine', {
    operationId: 'listMine',
    summary: 'Mine',
    surfaces: [surfaces.client],
    permission: 'open',
    answer: data(z.unknown()),
  }),
} as const;

export type Verb = keyof typeof operations;
export type Behaviour = (source: CallSource, input: Record<string, unknown>) => unknown;
export type Behaviours = Partial<Record<Verb, Behaviour>>;

/** What an operation answers unless a test says otherwise: the input it was given. */
const DEFAULTS: Behaviours = {
  list: (_, input) => ({ data: [input], pagination: { limit: Infinity, offset: 0, totalCount: 1 }, filterableFields: ['id', 'name'] }),
  create: () => ({ _links: { self: { href: './things/a' } }, id: 'a' }),
  authorities: () => ({ contentType: 'application/pkcs7-mime', body: new Uint8Array([1, 2, 3]) }),
  document: () => ({ contentType: 'application/json', body: '{"swagger":"2.0"}' }),
};

export const entriesOf = (behaviours: Behaviours = {}): readonly Entry[] =>
  Object.entries(operations).map(([verb, declared]) => {
    const behave = behaviours[verb as Verb] ?? DEFAULTS[verb as Verb] ?? ((_: CallSource, input: Record<string, unknown>) => input);
    // The tiny pipeline below hands the source in the call's place.
    return {
      group: 'things',
      verb,
      operation: declared as Operation,
      handler: ((source: CallSource, input: never) => Promise.resolve().then(() => behave(source, input))) as unknown as Entry['handler'],
    };
  });

export const invoke: Invoke = async (entry, source) => {
  const headers = new Map<string, string>();
  if (entry.operation.permission !== 'open') {
    if (source.credentials.kind !== 'token' || source.credentials.token !== 'good') throw unauthorized();
    headers.set('expiration-seconds', '1800');
  }
  const refusal = source.refusal?.();
  if (refusal) throw refusal;
  const input = decode(entry.operation, await source.input(), defaultSettings);
  return { output: await entry.handler(source as never, input as never), headers };
};

export const logged: { readonly message: string; readonly details: Readonly<Record<string, unknown>> | undefined }[] = [];
const log = (message: string, details?: Readonly<Record<string, unknown>>) => void logged.push({ message, details });

export const platform: HandlerOptions['platform'] = {
  random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)), uuid: () => 'uuid' },
  logger: { error: log, warn: log, info: log },
};

export const handlerOf = (behaviours: Behaviours = {}, settings: Partial<HandlerOptions['settings']> = {}): Handle =>
  createHandler({
    entries: entriesOf(behaviours),
    invoke,
    platform,
    settings: {
      maxBodyBytes: 1000,
      requestTimeoutMs: 10_000,
      maxOpenStreams: 10,
      maxOpenStreamsPerIdentity: 10,
      corsOrigins: '*',
      ...settings,
    },
  });

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Default `good`. */
  readonly token?: string | null;
}

const utf8 = new TextEncoder();
export const M = '/edge/management/v1';

export const requestOf = (method: string, target: string, { headers = {}, body, signal, token = 'good' }: Ask = {}): CoreRequest => {
  const bytes = typeof body === 'string' ? utf8.encode(body) : (body ?? new Uint8Array(0));
  const all: Record<string, string> = {
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    ...(token === null ? {} : { 'zt-session': token }),
    ...headers,
  };
  return { method, target, header: (name) => all[name], body: async () => bytes, ...(signal ? { signal } : {}) };
};

export interface Answered extends CoreAnswer {
  readonly json: {
    readonly data?: unknown;
    readonly meta: Record<string, unknown>;
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly requestId: string;
      readonly cause?: Record<string, string>;
    };
  };
}

/** Asks, and reads the answer as JSON. */
export const ask = async (handle: Handle, method: string, target: string, options: Ask = {}): Promise<Answered> => {
  const answer = await handle(requestOf(method, target, options));
  const isJson = answer.headers['content-type'] === 'application/json' && typeof answer.body === 'string';
  return { ...answer, json: isJson ? JSON.parse(answer.body as string) : { meta: {} } };
};
