import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../client/index.ts';
import { isApiError } from '../../../src/contract/errors/index.ts';

/** A client of a server that answers everything with this text, and status 200. */
const clientOf = (text: string) =>
  createClient({
    baseUrl: 'https://controller.test',
    credentials: { username: 'admin', password: 'wrong' },
    fetch: async () => new Response(text, { headers: { 'content-type': 'application/json' } }),
  });

const refusedWith = (code: string, status: number) => (error: unknown) =>
  isApiError(error) && error.code === code && error.status === status;

test('an envelope with an error and no data is an error, whatever its status', async () => {
  const error = { code: 'INVALID_AUTH', message: 'The authentication request failed', requestId: 'abc' };
  for (const data of [{}, { data: null }])
    await assert.rejects(clientOf(JSON.stringify({ error, meta: {}, ...data })).identities.list({}), refusedWith('INVALID_AUTH', 401));
});

test('JSON that is not an envelope is the answer of another server', async () => {
  for (const text of ['null', '{}', '[]', '"x"', '{"error":{}}'])
    await assert.rejects(clientOf(text).identities.list({}), refusedWith('UNHANDLED', 200));
  const session = { session: 'a-token' } as const;
  const client = createClient({ baseUrl: 'https://c.test', credentials: session, fetch: async () => Response.json({ data: [] }) });
  await assert.rejects(client.identities.list({}), refusedWith('UNHANDLED', 200));
});
