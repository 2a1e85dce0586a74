import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { refuseConnection, type Serving } from '../../../adapters/http/node.ts';
import { M } from '../../unit/http/fake-api.ts';
import { closeAll, head, LIMIT, POST, start } from './servings.ts';
import { codeOf, connect, SOON, statusOf } from './sockets.ts';

let serving: Serving;
before(async () => {
  serving = await start({}, { headersTimeoutMs: 200, requestTimeoutMs: 400, keepAliveTimeoutMs: 300 });
});
after(closeAll);

describe('other clients', () => {
  test('a request that is not HTTP gets 400 in the envelope, and the connection is closed', async () => {
    for (const garbage of [
      'hello\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\0\0\0\0\r\n\r\n',
      head('GET', '/', 'Bad Header: x'),
      head('GET', '/', 'Content-Length: 1', 'Content-Length: 2'),
      head('POST', `${M}/things`, ...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      `${head('POST', `${M}/things`, ...POST, 'Transfer-Encoding: chunked')}zz\r\n`,
    ]) {
      const bare = connect(serving);
      bare.write(garbage);
      const { text } = await bare.closed;
      assert.deepEqual([statusOf(text), codeOf(text)], [400, 'COULD_NOT_PARSE_BODY'], garbage);
    }
  });

  test('a request without a host gets 400', async () => {
    const bare = connect(serving);
    bare.write('GET /version HTTP/1.1\r\n\r\n');
    const { text } = await bare.closed;
    assert.deepEqual([statusOf(text), codeOf(text)], [400, 'COULD_NOT_PARSE_BODY']);
  });

  test('too many headers get 431', async () => {
    const bare = connect(serving);
    bare.write(head('GET', '/', `x: ${'y'.repeat(20_000)}`));
    const { text } = await bare.closed;
    assert.deepEqual([statusOf(text), codeOf(text)], [431, 'REQUEST_ENTITY_TOO_LARGE']);
  });

  test('headers that trickle in get 408 in time', async () => {
    const bare = connect(serving);
    bare.write('GET /version HTTP/1.1\r\nHost: x\r\n');
    const trickle = setInterval(() => bare.write('x: y\r\n'), 30);
    const { text, beats } = await bare.closed;
    clearInterval(trickle);
    assert.deepEqual([statusOf(text), codeOf(text)], [408, 'TIMEOUT']);
    assert.match(text, /\r\nretry-after: 1\r\n/i);
    assert.ok(beats < SOON, String(beats));
  });

  test('a body that trickles in gets 408 in time', async () => {
    for (const quick of [await start({}, {}, 150), serving]) {
      const bare = connect(quick);
      bare.write(head('POST', `${M}/things`, ...POST, 'Content-Length: 1000'));
      const trickle = setInterval(() => bare.write(' '), 30);
      const { text, beats } = await bare.closed;
      clearInterval(trickle);
      assert.deepEqual([statusOf(text), codeOf(text)], [408, 'TIMEOUT']);
      assert.ok(beats < SOON, String(beats));
    }
  });

  test('a connection that says nothing is dropped', async () => {
    const { text, beats } = await connect(serving).closed;
    assert.ok(text === '' || statusOf(text) === 408);
    assert.ok(beats < SOON, String(beats));
  });

  test('an endless body is 413 early, with memory as it was', async () => {
    const patient = await start();
    const bare = connect(patient);
    bare.write(head('POST', `${M}/things`, ...POST, 'Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, ' '), Buffer.from('\r\n')]);
    const before = process.memoryUsage().arrayBuffers;
    let sent = 0;
    let peak = 0;
    const flood = setInterval(() => {
      if (bare.socket.writableLength === 0) {
        bare.write(chunk);
        sent += chunk.length;
      }
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }, 1);
    assert.equal(statusOf(await bare.until(/"meta"/)), 413);
    const { beats } = await bare.closed;
    clearInterval(flood);
    assert.ok(beats < SOON, String(beats));
    assert.ok(peak - before < 48 * 1024 * 1024, `${peak - before} bytes more after ${sent}`);
  });

  test('a refused body that comes to its end leaves time to read the answer', async () => {
    const bare = connect(serving);
    bare.write(head('POST', '/nope', ...POST, `Content-Length: ${LIMIT}`));
    await bare.until(/"meta"/);
    bare.write(Buffer.alloc(LIMIT, ' '));
    const { text } = await bare.closed;
    assert.equal(statusOf(text), 404);
    assert.match(text, /Connection: close/i);
  });

  test('garbage after a request does not corrupt an answer on its way', async () => {
    const bare = connect(serving);
    bare.write(`${head('GET', `${M}/things/a`)}garbage\r\n\r\n`);
    const { text } = await bare.closed;
    for (const part of text.split('HTTP/1.1 ').filter(Boolean)) assert.match(part, /^(200|400) [\s\S]*\}$/);
  });

  const begins: RequestListener = (request, response) => void (request.url === '/begins' && response.write('begun'));
  const answerBefore = async (more: string): Promise<string> => {
    const own = createServer(begins).on('clientError', refuseConnection);
    await once(own.listen(0, '127.0.0.1'), 'listening');
    const { port } = own.address() as AddressInfo; // a TCP server that listens has an address with a port
    const bare = connect({ port, address: `http://127.0.0.1:${port}` });
    bare.write(head('GET', '/begins'));
    await bare.until(/begun/);
    bare.write(more);
    return (await bare.closed.finally(() => own.close())).text;
  };

  test('garbage never becomes a part of an answer that has begun, whatever else the client has asked for', async () => {
    for (const more of ['garbage\r\n\r\n', `${head('GET', '/waits')}garbage\r\n\r\n`, `x: ${'x'.repeat(20_000)}\r\n\r\n`])
      assert.match(await answerBefore(more), /begun\r\n$/);
  });

  test('random bytes never get a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('', 'GET /'), fc.uint8Array({ maxLength: 200 }), async (begin, noise) => {
        const bare = connect(serving);
        bare.write(Buffer.concat([Buffer.from(begin), noise, Buffer.from('\r\n\r\n')]));
        // What is a request, by chance, is answered; the connection is closed at the latest when it idles.
        const { text } = await bare.closed;
        assert.ok(text === '' || statusOf(text) < 500, text.slice(0, 100));
      }),
    );
  });
});
