import assert from 'node:assert/strict';
import type { Sentences } from '../http.suite.ts';
import { API, MOUNT } from './host.ts';

const answering = (headers: Readonly<Record<string, string>>) => ({ handle: async () => ({ status: 200, headers, body: 'ok' }) });

/** What the controller gives back. */
export const answers: Sentences = {
  'bytes arrive as they are': async (open) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const server = await open({ behaviours: { authorities: () => ({ contentType: 'application/pkcs7-mime', body: bytes }) } });
    const answer = await server.ask('GET', `${MOUNT}/.well-known/est/cacerts`);
    assert.equal(answer.headers['content-type'], 'application/pkcs7-mime');
    assert.deepEqual(new Uint8Array(answer.bytes), bytes);
  },

  'a long answer arrives whole': async (open) => {
    const text = 'é'.repeat(1_000_000);
    const server = await open({ behaviours: { get: () => text } });
    assert.equal((await server.ask('GET', `${API}/things/a`)).json.data, text);
  },

  'headers that the host has set stay on the answer': async (open) => {
    const server = await open();
    for (const [method, path] of [
      ['GET', `${MOUNT}/version`],
      ['GET', `${MOUNT}/nope`],
      ['POST', `${API}/things`],
    ] as const)
      assert.equal((await server.ask(method, path)).headers['x-host'], 'yes', path);
  },

  'a header of the controller wins over the same of the host': async (open) => {
    const server = await open({ controller: answering({ 'x-host': 'controller' }) });
    assert.equal((await server.ask('GET', `${MOUNT}/version`)).headers['x-host'], 'controller');
  },

  'a controller that fails is 500 in the envelope, and says no more': async (open) => {
    const server = await open({ controller: { handle: () => Promise.reject(new Error('secret')) } });
    const { status, text, json } = await server.ask('GET', `${MOUNT}/version`);
    assert.deepEqual([status, json.error.code, text.includes('secret')], [500, 'UNHANDLED', false]);
  },

  'an answer that cannot be sent is 500 in the envelope': async (open) => {
    const server = await open({ controller: answering({ 'x-broken': 'a\r\nb: c' }) });
    const { status, json, headers } = await server.ask('GET', `${MOUNT}/version`);
    assert.deepEqual([status, json.error.code, headers['b']], [500, 'UNHANDLED', undefined]);
  },

  'requests side by side each get their own answer': async (open) => {
    const server = await open();
    const ids = Array.from({ length: 30 }, (_, i) => `id-${i}`);
    const answered = await Promise.all(ids.map((id) => server.ask('GET', `${API}/things/${id}`)));
    assert.deepEqual(
      answered.map(({ json }) => json.data.id),
      ids,
    );
  },
};
