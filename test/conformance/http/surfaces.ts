import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { CallSource } from '../../../src/call/call-source.ts';
import type { ServerSentEvent } from '../../../src/contract/api/surfaces/http-output.ts';
import type { Sentences } from '../http.suite.ts';
import { connect, head, MOUNT } from './host.ts';
import { plainHandle, type Sources } from './plain-surface.ts';

const P = `${MOUNT}/plain`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const;
const serving = (sources: Sources = {}, settings = {}) => ({ controller: { handle: plainHandle(sources, settings) } });

/** Resolves when the client of a call has gone. */
const gone = ({ signal }: CallSource) => new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));

/** Surfaces with forms of their own, and answers that are more than a body in an envelope. */
export const surfaces: Sentences = {
  'a surface answers in its own form, beside others': async (open) => {
    const server = await open(serving());
    assert.deepEqual((await server.ask('GET', `${P}/status`)).json, { status: 'ok' });
    assert.deepEqual((await server.ask('GET', `${MOUNT}/version`)).json.data, {});
  },

  'a surface refuses in its own form, also what is unknown below its prefix': async (open) => {
    const server = await open(serving());
    const refusal = async (method: string, path: string, asking = {}) => {
      const { status, json } = await server.ask(method, path, asking);
      return [status, json.error, typeof json.error_description];
    };
    assert.deepEqual(await refusal('GET', `${P}/nope`), [404, 'not_found', 'string']);
    assert.deepEqual(await refusal('POST', `${P}/status`), [405, 'invalid_request', 'string']);
    assert.deepEqual(await refusal('POST', `${P}/token`, { body: 'scope=a', headers: FORM }), [400, 'invalid_request', 'string']);
    assert.equal((await server.ask('GET', `${MOUNT}/nope`)).json.error.code, 'NOT_FOUND');
  },

  'a form is read, with a list for a field that is repeated': async (open) => {
    const server = await open(serving());
    const { status, json } = await server.ask('POST', `${P}/token`, { body: 'grant_type=a+b%C3%A9&scope=x&scope=y', headers: FORM });
    assert.deepEqual([status, json], [200, { grant_type: 'a bé', scope: ['x', 'y'] }]);
  },

  'a redirect has its status and address, and several headers of one name': async (open) => {
    const server = await open(serving());
    const { status, headers, text } = await server.ask('GET', `${P}/leave`);
    assert.deepEqual([status, headers.location, text], [302, 'https://console.test/?code=a', '']);
    assert.deepEqual(headers['set-cookie'], ['one=1; Path=/', 'two=2; Path=/']);
  },

  'an answer may have any status, type and headers, and no body at all': async (open) => {
    const server = await open(serving());
    const page = await server.ask('GET', `${P}/page`);
    assert.deepEqual(
      [page.status, page.headers['content-type'], page.headers['auth-request-id'], page.text],
      [202, 'text/html; charset=utf-8', 'x', '<p>hé</p>'],
    );
    const removed = await server.ask('DELETE', `${P}/thing`);
    assert.deepEqual([removed.status, removed.headers['content-length'], removed.text], [204, undefined, '']);
  },

  'events arrive as they come': async (open) => {
    const turns: (() => void)[] = [];
    async function* events(): AsyncGenerator<ServerSentEvent> {
      yield { data: 'one', id: '1' };
      await new Promise<void>((resolve) => turns.push(resolve));
      yield { event: 'more', data: 'two\nlines' };
    }
    const server = await open(serving({ events }));
    const bare = connect(server);
    bare.write(head('GET', `${P}/events`, 'Connection: close'));
    const begun = await bare.until(/data: one\n\n/);
    assert.match(begun, /content-type: text\/event-stream/i);
    assert.match(begun, /id: 1\ndata: one\n\n/);
    assert.equal(turns.length <= 1, true);
    while (turns.length === 0) await new Promise((resolve) => setImmediate(resolve));
    turns.pop()?.();
    assert.match(await bare.until(/lines\n\n/), /event: more\ndata: two\ndata: lines\n\n/);
    await bare.closed;
  },

  'a client that goes away ends its stream, and gives its place back': async (open) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    async function* events(source: CallSource): AsyncGenerator<ServerSentEvent> {
      try {
        yield { data: 'one' };
        await gone(source);
      } finally {
        end('ended');
      }
    }
    const server = await open(serving({ events }, { maxOpenStreams: 1 }));
    const bare = connect(server);
    bare.write(head('GET', `${P}/events`));
    await bare.until(/data: one\n\n/);
    assert.equal((await server.ask('GET', `${P}/events`)).status, 503);
    bare.socket.destroy();
    assert.equal(await ended, 'ended');
    const again = connect(server);
    again.write(head('GET', `${P}/events`));
    await again.until(/data: one\n\n/);
    again.socket.destroy();
  },

  'a stream has no time limit, and is made no faster than the client takes it': async (open) => {
    let made = 0;
    const part = new Uint8Array(65_536);
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (;;) {
        made++;
        yield part;
      }
    }
    const server = await open(serving({ bytes }, { requestTimeoutMs: 50 }));
    const bare = connect(server);
    bare.socket.pause();
    bare.write(head('GET', `${P}/bytes`));
    const settled = async () => {
      for (let before = -1; before !== made; ) {
        before = made;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return made;
    };
    while (made === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const first = await settled();
    assert.ok(first < 1000, `${first} parts of 64 KiB for a client that reads nothing`);
    bare.socket.resume();
    while (made < first + 100) await new Promise((resolve) => setTimeout(resolve, 10));
    bare.socket.destroy();
    await once(bare.socket, 'close');
  },

  'a stream that fails is broken off, so that no client takes it for whole': async (open) => {
    async function* bytes(): AsyncGenerator<string> {
      yield 'begun';
      throw new Error('secret');
    }
    const server = await open(serving({ bytes }));
    await assert.rejects(server.ask('GET', `${P}/bytes`), { code: 'ECONNRESET' });
    assert.equal((await server.ask('GET', `${P}/status`)).status, 200);
  },
};
