/** Each chunk of a body costs processor time, however short it is, so a body may have at most 10,000. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { closeAll, head, LIMIT, POST, start } from '../adapters/http/servings.ts';
import { codeOf, connect, statusOf } from '../adapters/http/sockets.ts';
import { handlerOf, M } from '../unit/http/fake-api.ts';

after(closeAll);

const BODY = '{"name":"x"}';
const CHUNKED = head('POST', `${M}/things`, ...POST, 'Transfer-Encoding: chunked');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const blanks = (count: number) => chunk(' ').repeat(count);

describe('a body in tiny chunks', () => {
  test('may have 10,000 chunks', async () => {
    const bare = connect(await start());
    bare.write(`${CHUNKED}${blanks(9999)}${chunk(BODY)}0\r\n\r\n`);
    assert.equal(statusOf(await bare.until(/"meta"/)), 201);
    bare.socket.destroy();
  });

  test('is refused with 413 if it has more, although it is below the limit in bytes', async () => {
    const bare = connect(await start());
    bare.write(`${CHUNKED}${blanks(10_000)}${chunk(BODY)}0\r\n\r\n`);
    const text = await bare.until(/"meta"/);
    assert.deepEqual([statusOf(text), codeOf(text)], [413, 'REQUEST_ENTITY_TOO_LARGE']);
    bare.socket.destroy();
  });

  test('that continues after the refusal is read no further, and its connection ends', async () => {
    const sockets: Socket[] = [];
    const opened = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket);
    subscribe('net.server.socket', opened);
    const bare = connect(await start());
    bare.write(`${CHUNKED}${blanks(500_000)}`);
    await bare.closed;
    unsubscribe('net.server.socket', opened);
    const [{ bytesRead } = assert.fail('no connection')] = sockets;
    assert.ok(bytesRead < 100_000 * chunk(' ').length, `${bytesRead} bytes were read`);
  });

  test('has the same limit in a host of web-standard requests', async () => {
    const handle = fetchHandler({ handle: handlerOf({}, { maxBodyBytes: LIMIT }) });
    const post = (count: number) => {
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          controller.enqueue(new TextEncoder().encode(++at < count ? ' ' : BODY));
          if (at === count) controller.close();
        },
      });
      const headers = { 'zt-session': 'good', 'content-type': 'application/json' };
      return handle(new Request(`http://host${M}/things`, { method: 'POST', headers, body, duplex: 'half' }));
    };
    assert.deepEqual([(await post(10_000)).status, (await post(10_001)).status], [201, 413]);
  });
});
