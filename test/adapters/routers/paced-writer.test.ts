import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import tls, { type TLSSocket } from 'node:tls';
import { BYTES_PER_TURN, createPacedWriter } from '../../../adapters/routers/paced-writer.ts';
import { newRoot, newServerCertificate } from '../../../src/index.ts';

/** Both ends of a connection. */
const connection = async () => {
  const server = tls.createServer(await newServerCertificate(await newRoot(), ['127.0.0.1'])).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reading = tls.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false });
  const [writing]: TLSSocket[] = await once(server, 'secureConnection');
  assert.ok(writing);
  const close = async () => {
    for (const socket of [reading, writing]) socket.on('error', () => undefined).destroy();
    server.close();
    await once(server, 'close');
  };
  return { writing, reading, [Symbol.asyncDispose]: close };
};

test('nothing waits any more once the other side has read it all, whatever the last piece is', async () => {
  await using at = await connection();
  const writer = createPacedWriter(at.writing);
  let read = 0;
  at.reading.on('data', (part: Buffer) => (read += part.length));
  let written = 0;
  // Pieces are of 65,536 bytes: the last one of a message may be too small for the socket to say that it has room again.
  for (const bytes of [1, 100, 65_535, 65_536, 65_537, 131_073, 1_000_000, 8_388_609]) {
    at.reading.pause();
    for (let i = 0; i < 4; i++) writer.write(new Uint8Array(bytes));
    written += 4 * bytes;
    at.reading.resume();
    await writer.drained();
    assert.equal(writer.buffered, 0);
  }
  at.writing.end();
  await once(at.reading, 'end');
  assert.equal(read, written);
});

test('many short parts that wait are written in few pieces, and come in order', async (t) => {
  await using at = await connection();
  const writer = createPacedWriter(at.writing);
  at.reading.pause();
  const sent = createHash('sha256');
  const received = createHash('sha256');
  const PARTS = 400_000;
  const { mock } = t.mock.method(at.writing, 'write');
  for (let i = 0; i < PARTS; i++) {
    const part = Buffer.alloc(i % 1000 === 0 ? 20_000 : i % 7 === 0 ? 0 : 90, i);
    sent.update(part);
    writer.write(part);
    if (i % 4000 === 0) await new Promise(setImmediate);
  }
  at.reading.on('data', (part: Buffer) => received.update(part)).resume();
  await writer.drained();
  at.writing.end();
  await once(at.reading, 'end');
  assert.equal(received.digest('hex'), sent.digest('hex'));
  assert.ok(mock.callCount() < PARTS / 10, `${mock.callCount()} pieces`);
});

test('what many connections take at once is written in several turns, and a short message is not kept from any of them', async (t) => {
  const CONNECTIONS = 12;
  await using all = new AsyncDisposableStack();
  const mocks: { readonly calls: readonly { readonly arguments: readonly unknown[] }[] }[] = [];
  const written = (): number => {
    const parts = mocks.flatMap(({ calls }) => calls.map(({ arguments: [part] }) => part));
    return parts.reduce<number>((sum, part) => sum + (part instanceof Uint8Array ? part.length : 0), 0);
  };
  /** What was written up to the end of each turn. */
  const sums = [0];
  let isOver = false;
  const turn = () => {
    sums.push(written());
    if (!isOver) setImmediate(turn);
  };
  const ends: Promise<unknown>[] = [];
  const writers: ReturnType<typeof createPacedWriter>[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const at = all.use(await connection());
    const { mock } = t.mock.method(at.writing, 'write');
    mocks.push(mock);
    const writer = createPacedWriter(at.writing);
    writers.push(writer);
    let left = 1_000_003;
    ends.push(
      new Promise<void>((resolve) => {
        at.reading.on('data', (part: Buffer) => {
          left -= part.length;
          if (left === 0) resolve();
        });
      }),
    );
  }
  setImmediate(turn);
  const [long, short] = [new Uint8Array(1_000_000), new Uint8Array(3)];
  for (const writer of writers) {
    writer.write(long);
    writer.write(short);
  }
  await Promise.all(ends);
  isOver = true;
  assert.equal(written(), CONNECTIONS * 1_000_003);
  const largest = Math.max(...sums.slice(1).map((sum, i) => sum - (sums[i] ?? 0)));
  // A turn of the writers may begin in the middle of one that is counted here.
  assert.ok(largest <= 2 * BYTES_PER_TURN + 65_536, `${largest} bytes in one turn`);
});

test('nothing waits any more when the other side is gone', async () => {
  await using at = await connection();
  const writer = createPacedWriter(at.writing);
  at.reading.pause();
  writer.write(new Uint8Array(16_000_000));
  let isDrained = false;
  const drained = writer.drained().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  assert.ok(!isDrained && writer.buffered > 0, 'as long as nothing is read, it waits');
  at.reading.destroy();
  await drained;
  assert.ok(at.writing.destroyed);
});

test('the end is sent when all is written, at once if nothing waits', async () => {
  for (const bytes of [0, 16_000_000]) {
    await using at = await connection();
    const writer = createPacedWriter(at.writing);
    if (bytes > 0) writer.write(new Uint8Array(bytes));
    writer.end();
    let read = 0;
    at.reading.on('data', (part: Buffer) => (read += part.length));
    await once(at.reading, 'end');
    assert.equal(read, bytes);
  }
});
