/** A surface that is none of the controller's: JSON without an envelope, the errors of RFC 6749, no sessions. */
import * as z from 'zod';
import type { CallSource } from '../../../src/call/call-source.ts';
import type { Entry } from '../../../src/call/entry.ts';
import { list, textUpTo } from '../../../src/contract/api/kit/bounded.ts';
import { data, type Operation, operation } from '../../../src/contract/api/kit/operation.ts';
import { bareJson, type ErrorForm } from '../../../src/contract/api/surfaces/envelope.ts';
import { type HttpOutput, redirect, type ServerSentEvent } from '../../../src/contract/api/surfaces/http-output.ts';
import { withoutSession } from '../../../src/contract/api/surfaces/session-rule.ts';
import { surface } from '../../../src/contract/api/surfaces/surface.ts';
import { createHandler, type Handle, type HandlerOptions } from '../../../src/http/handler.ts';
import { entriesOf, invoke, platform } from '../../unit/http/fake-api.ts';

const oauthErrors: ErrorForm = {
  contentType: 'application/json',
  write: ({ status, message }) => ({
    body: JSON.stringify({ error: status === 404 ? 'not_found' : 'invalid_request', error_description: message }),
  }),
  schema: { type: 'object', required: ['error'], properties: { error: { type: 'string' }, error_description: { type: 'string' } } },
  components: {},
};

export const plain = surface({
  name: 'plain',
  prefix: '/plain',
  envelope: bareJson,
  errorForm: oauthErrors,
  session: withoutSession,
  exposedHeaders: ['auth-request-id'],
});

const common = { permission: 'open', surfaces: [plain] } as const;

const operations = {
  status: operation('GET', '/status', {
    operationId: 'plainStatus',
    summary: 'JSON',
    answer: data(z.object({ status: z.string() })),
    ...common,
  }),
  leave: operation('GET', '/leave', {
    operationId: 'plainLeave',
    summary: 'A redirect',
    answer: { is: 'response', contentTypes: [] },
    ...common,
  }),
  remove: operation('DELETE', '/thing', {
    operationId: 'plainRemove',
    summary: '204',
    answer: { is: 'response', contentTypes: [] },
    ...common,
  }),
  page: operation('GET', '/page', {
    operationId: 'plainPage',
    summary: 'HTML',
    answer: { is: 'response', contentTypes: ['text/html'] },
    ...common,
  }),
  token: operation('POST', '/token', {
    operationId: 'plainToken',
    summary: 'A form',
    body: {
      schema: z.object({ grant_type: textUpTo(100), scope: z.union([textUpTo(100), list(textUpTo(100), 10)]).optional() }),
      name: 'request',
      media: ['application/x-www-form-urlencoded'],
    },
    answer: data(z.unknown()),
    ...common,
  }),
  events: operation('GET', '/events', { operationId: 'plainEvents', summary: 'Events', answer: { is: 'events' }, ...common }),
  bytes: operation('GET', '/bytes', {
    operationId: 'plainBytes',
    summary: 'Bytes without end',
    answer: { is: 'response', contentTypes: ['application/octet-stream'] },
    ...common,
  }),
} as const;

export interface Sources {
  readonly events?: (source: CallSource) => AsyncIterable<ServerSentEvent>;
  readonly bytes?: (source: CallSource) => AsyncIterable<string | Uint8Array>;
}

/** A controller that answers for the small API and for the plain surface. */
export const plainHandle = ({ events, bytes }: Sources = {}, settings: Partial<HandlerOptions['settings']> = {}): Handle => {
  const outputs: Readonly<Record<keyof typeof operations, (source: CallSource, input: { readonly body?: unknown }) => unknown>> = {
    status: () => ({ status: 'ok' }),
    leave: (): HttpOutput => redirect('https://console.test/?code=a', { headers: { 'set-cookie': ['one=1; Path=/', 'two=2; Path=/'] } }),
    remove: (): HttpOutput => ({ status: 204 }),
    page: (): HttpOutput => ({
      status: 202,
      contentType: 'text/html; charset=utf-8',
      body: '<p>hé</p>',
      headers: { 'auth-request-id': 'x' },
    }),
    token: (_, { body }) => body,
    events: (source) => events?.(source),
    bytes: (source): HttpOutput => ({ contentType: 'application/octet-stream', ...(bytes ? { body: bytes(source) } : {}) }),
  };
  const entries = Object.entries(operations).map(([verb, declared]): Entry => {
    const output = outputs[verb as keyof typeof operations]; // the keys of the table
    return {
      group: 'plain',
      verb,
      operation: declared as Operation,
      // The tiny pipeline of the small API hands the source in the call's place.
      handler: (async (source: CallSource, input: { readonly body?: unknown }) => output(source, input)) as unknown as Entry['handler'],
    };
  });
  return createHandler({
    entries: [...entriesOf(), ...entries],
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
};
