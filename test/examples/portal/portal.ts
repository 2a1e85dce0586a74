/** The portal of `examples/portal`, with a single sign-on and a receiver of its webhook. */

import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import pg from 'pg';
import { openPortal } from '../../../examples/portal/open.ts';
import { newSchema } from '../../support/postgres.ts';
import { startIssuer } from './issuer.ts';
import { startReceiver } from './receiver.ts';

export const spans = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));

export const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** What a request of a user is answered. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** Requests of users to a portal. */
export const asking =
  (url: string) =>
  async (token: string, method: string, path: string, body?: unknown): Promise<Reply> => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { status: answer.status, body: answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text };
  };

/** What surrounds a portal: a database, a single sign-on, and a receiver of its webhook. */
export const surroundings = async () => {
  const stack = new AsyncDisposableStack();
  const schema = stack.use(await newSchema());
  const issuer = stack.use(await startIssuer());
  const receiver = stack.use(await startReceiver());
  return { schema, issuer, receiver, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

/** A portal in this process. */
export const startPortal = async () => {
  const around = await surroundings();
  const { schema, issuer, receiver } = around;
  const pool = new pg.Pool({ connectionString: schema.connectionString });
  const portal = await openPortal({
    pool,
    secretKey: SECRET_KEY,
    issuer: issuer.url,
    webhook: receiver.url,
    address: 'https://portal.example',
  });
  const url = await portal.app.listen({ port: 0, host: '127.0.0.1' });
  return {
    ...portal,
    issuer,
    url,
    ask: asking(url),
    [Symbol.asyncDispose]: async () => {
      await portal.close();
      await pool.end();
      await around[Symbol.asyncDispose]();
    },
  };
};
