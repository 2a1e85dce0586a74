import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { nodeHandler, serve } from '../../../adapters/http/node.ts';
import type { CallSource } from '../../../src/call/call-source.ts';
import type { ServerSentEvent } from '../../../src/contract/api/surfaces/http-output.ts';
import { plainHandle } from '../../conformance/http/plain-surface.ts';

/** Events without end, until the client has gone. */
const endless = () => {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  async function* events({ signal }: CallSource): AsyncGenerator<ServerSentEvent> {
    try {
      yield { data: 'one' };
      await new Promise<void>((gone) => signal?.addEventListener('abort', () => gone()));
    } finally {
      resolve('ended');
    }
  }
  return { events, ended };
};

test('a server that closes ends its streams, and does not wait for their clients', async () => {
  const { events, ended } = endless();
  const server = await serve({ controller: { handle: plainHandle({ events }) } });
  const response = await fetch(`${server.address}/plain/events`);
  const reader = response.body?.getReader();
  await reader?.read();
  await server.close(60_000);
  assert.equal(await ended, 'ended');
  assert.equal((await reader?.read())?.done, true);
});

test('a stream of HTTP/2 arrives as it comes, and ends when its client breaks it off', async (t) => {
  const { events, ended } = endless();
  const server = http2.createServer(nodeHandler({ handle: plainHandle({ events }) }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // a TCP server that listens has one
  t.after(() => {
    session.destroy();
    server.close();
  });
  const stream = session.request({ ':path': '/plain/events' });
  const [first] = await once(stream, 'data');
  assert.equal(String(first), 'data: one\n\n');
  stream.close(http2.constants.NGHTTP2_CANCEL);
  assert.equal(await ended, 'ended');
});

test('HTTP/2 has several headers of one name, and answers without a body', async (t) => {
  const server = http2.createServer(nodeHandler({ handle: plainHandle() }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // as above
  t.after(() => {
    session.destroy();
    server.close();
  });
  const ask = (method: string, path: string) =>
    new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>((resolve, reject) => {
      const stream = session.request({ ':method': method, ':path': path });
      stream.on('error', reject).once('response', resolve).resume();
      stream.end();
    });
  assert.deepEqual((await ask('GET', '/plain/leave'))['set-cookie'], ['one=1; Path=/', 'two=2; Path=/']);
  assert.equal((await ask('DELETE', '/plain/thing'))[':status'], 204);
});
