/** Files that are served are closed again: otherwise a server that runs for weeks has no handle left for its database. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nodeHandler } from '../../adapters/http/node.ts';
import { createDispatcher, refusal } from '../../server/routes.ts';
import { singlePage } from '../../server/single-page.ts';
import { contentsOf } from '../../server/static-files.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from './child.ts';

const HANDLES = '/proc/self/fd';
const canCount = { skip: existsSync(HANDLES) ? false : 'the handles of a process are counted on Linux only' };

/** Files of a folder that this process has open. */
const openIn = (folder: string): number =>
  readdirSync(HANDLES).filter((handle) => {
    try {
      return readlinkSync(join(HANDLES, handle)).startsWith(folder);
    } catch {
      return false; // the one that has read the list
    }
  }).length;

const SIZES = { 'index.html': 100, 'small.js': 1000, 'large.bin': 1_000_000, 'huge.bin': 50_000_000 } as const;
type Name = keyof typeof SIZES;

/** Handles that nobody closed are closed by the garbage collector, with a warning each. */
const leaks: string[] = [];
process.on('warning', ({ message }) => {
  if (message.includes('garbage collection')) leaks.push(message);
});

/** An application behind real sockets of HTTP/1.1 and HTTP/2. */
const serving = async (t: TestContext) => {
  const folder = temporaryFolder(t);
  for (const [name, size] of Object.entries(SIZES)) writeFileSync(join(folder, name), Buffer.alloc(size, 'x'));
  const route = await singlePage({ path: '/zac', folder });
  assert.equal(openIn(folder), 0, 'the index that was looked for at the start');
  const handler = nodeHandler(createDispatcher([route], { handle: async () => refusal(404, 'nothing') }));
  const [one, two] = [http.createServer(handler), http2.createServer(handler)];
  for (const server of [one, two]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new http.Agent({ keepAlive: false });
  const portOf = (server: http.Server | http2.Http2Server) => (server.address() as AddressInfo).port; // of TCP servers that listen
  const session = http2.connect(`http://127.0.0.1:${portOf(two)}`);
  t.after(() => {
    session.destroy();
    one.close();
    one.closeAllConnections();
    two.close();
  });

  const begin = async (name: Name, method = 'GET', headers: Readonly<Record<string, string>> = {}) => {
    const asked = http.request({ host: '127.0.0.1', port: portOf(one), path: `/zac/${name}`, method, headers, agent }).end();
    const [answer]: [http.IncomingMessage] = (await once(asked, 'response')) as [http.IncomingMessage]; // by the types of the event
    return { answer, asked };
  };
  return {
    folder,
    begin,
    session,
    /** An answer that is read to its end. */
    ask: async (name: Name, method = 'GET', headers: Readonly<Record<string, string>> = {}) => {
      const { answer } = await begin(name, method, headers);
      let bytes = 0;
      for await (const part of answer) bytes += (part as Buffer).length;
      return { status: answer.statusCode, etag: String(answer.headers.etag), bytes };
    },
    closed: async () => {
      await until(() => openIn(folder) === 0);
      await new Promise(setImmediate);
      assert.deepEqual(leaks, []);
    },
  };
};

test('files are closed when they were sent, and when the client has them or wants their headers only', canCount, async (t) => {
  const { folder, ask, closed } = await serving(t);
  const held = openSync(join(folder, 'small.js'), 'r');
  assert.equal(openIn(folder), 1, 'an open file is counted');
  closeSync(held);
  for (const name of ['index.html', 'small.js', 'large.bin'] as const)
    for (let round = 0; round < 20; round++) {
      const { status, etag, bytes } = await ask(name);
      assert.deepEqual([status, bytes], [200, SIZES[name]]);
      assert.deepEqual(await ask(name, 'GET', { 'if-none-match': etag }), { status: 304, etag, bytes: 0 });
      assert.deepEqual(await ask(name, 'HEAD'), { status: 200, etag, bytes: 0 });
    }
  await closed();
});

test('files are closed when the client goes away, before the first byte or after', canCount, async (t) => {
  const { folder, begin, session, closed } = await serving(t);
  for (let round = 0; round < 5; round++) {
    const { asked } = await begin('huge.bin');
    assert.equal(openIn(folder), 1);
    asked.destroy();
    await closed();
    const { answer } = await begin('huge.bin');
    await once(answer, 'data');
    answer.destroy();
    await closed();
    const stream = session.request({ ':path': '/zac/huge.bin' });
    await once(stream, 'response');
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await closed();
  }
});

test('a file that becomes shorter while it is sent breaks its answer off, and is closed', canCount, async (t) => {
  const { folder, begin, closed } = await serving(t);
  const { answer } = await begin('huge.bin');
  await once(answer, 'readable');
  truncateSync(join(folder, 'huge.bin'), 1000);
  await assert.rejects(async () => {
    for await (const _ of answer);
  }, /aborted/);
  await closed();
});

test('a file that cannot be read is closed, and its error is that of the answer', async (t) => {
  const file = join(temporaryFolder(t), 'written-only');
  // A handle without the right to read fails at the first part, as a disk that fails does.
  const handle = await open(file, 'w');
  const parts = contentsOf({ handle, size: 1_000_000, etag: '' })[Symbol.asyncIterator]();
  await assert.rejects(async () => parts.next(), { code: 'EBADF' });
  assert.equal(handle.fd, -1);
});

test('a file is closed at its end', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, 'x'.repeat(100_000));
  const handle = await open(file, 'r');
  let bytes = 0;
  for await (const part of contentsOf({ handle, size: 100_000, etag: '' })) bytes += part.length;
  assert.deepEqual([bytes, handle.fd], [100_000, -1]);
});

test('a file is closed when nothing of it was asked for, and once', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, 'x');
  const handle = await open(file, 'r');
  const parts = contentsOf({ handle, size: 1, etag: '' })[Symbol.asyncIterator]();
  assert.deepEqual([await parts.return?.(), handle.fd], [{ done: true, value: undefined }, -1]);
  assert.deepEqual(await parts.return?.(), { done: true, value: undefined });
});
