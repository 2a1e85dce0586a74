import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type ServeLimits, type ServeOptions, serve as serveOn } from '../../adapters/http/node.ts';
import { closeAll, head, LIMIT, POST, start } from '../adapters/http/servings.ts';
import { type Bare, codeOf, connect, statusOf } from '../adapters/http/sockets.ts';
import { handlerOf, M } from '../unit/http/fake-api.ts';

/** Bodies that come slowly must be in nobody's way: a place among those that are worked on is taken when the body is there. */

after(closeAll);

const PATIENT: ServeLimits = { bodyGraceMs: 60_000, requestTimeoutMs: 60_000 };
const serve = (limits: ServeLimits) => start({}, { ...PATIENT, ...limits }, 60_000);

/** Without TLS, where there are many connections or a proxy. */
const bare = (options: Omit<ServeOptions, 'controller'>) =>
  serveOn({ controller: { handle: handlerOf({}, { requestTimeoutMs: 60_000 }) }, ...options });

/** A connection that has sent the headers of a request, and a part of its body that the server has seen. */
const withSlowBody = async (serving: Awaited<ReturnType<typeof serve>>, part = '{', length = LIMIT): Promise<Bare> => {
  const bare = connect(serving);
  // Only a request whose body is being waited for is told to go on.
  bare.write(head('POST', `${M}/things`, ...POST, `Content-Length: ${length}`, 'Expect: 100-continue'));
  await bare.until(/100 Continue/);
  bare.write(part);
  return bare;
};

const post = async (serving: Awaited<ReturnType<typeof serve>>): Promise<number> => {
  const bare = connect(serving);
  bare.write(`${head('POST', `${M}/things`, ...POST, 'Content-Length: 12')}{"name":"x"}`);
  const status = statusOf(await bare.until(/"meta"/));
  bare.socket.destroy();
  return status;
};

const endsWith = async (bare: Bare, status: number, code: string): Promise<void> => {
  const text = (await bare.until(/"meta"/)).replace('HTTP/1.1 100 Continue\r\n\r\n', '');
  assert.deepEqual([statusOf(text), codeOf(text)], [status, code]);
  assert.match(text, /\r\nretry-after: 1\r\n/i);
};

describe('bodies on their way', () => {
  test('take no place among the requests that are handled', async () => {
    const serving = await serve({ maxConcurrent: 2 });
    const slow = await Promise.all(Array.from({ length: 8 }, () => withSlowBody(serving)));
    for (let i = 0; i < 5; i++) assert.equal(await post(serving), 201);
    for (const bare of slow) bare.socket.destroy();
  });

  test('that are at last there are handled', async () => {
    const serving = await serve({ maxConcurrent: 1 });
    const slow = await withSlowBody(serving, '{"na', 12);
    assert.equal(await post(serving), 201);
    slow.write('me":"x"}');
    await slow.until(/201 Created/);
    slow.socket.destroy();
  });

  test('that are there when all places are taken are refused with 503, and leave no place taken', async () => {
    const gate = Promise.withResolvers<void>();
    const limits = { ...PATIENT, maxConcurrent: 1 };
    const serving = await start({ get: () => gate.promise.then(() => ({})) }, limits, 60_000);
    const slow = await withSlowBody(serving, '{"na', 12);
    const working = connect(serving);
    working.write(head('GET', `${M}/things/a`));
    while ((await post(serving)) !== 503); // until the other has its place
    slow.write('me":"x"}');
    await endsWith(slow, 503, 'SERVER_UNAVAILABLE');
    gate.resolve();
    await working.until(/200 OK/);
    assert.equal(await post(serving), 201);
    working.socket.destroy();
  });

  test('that are there only after their request has been answered leave no place taken', async () => {
    const serving = await start({}, { ...PATIENT, maxConcurrent: 1 }, 200);
    for (let i = 0; i < 2; i++) {
      const late = await withSlowBody(serving, '{"na', 12);
      await endsWith(late, 408, 'TIMEOUT');
      late.write('me":"x"}');
      await late.closed;
    }
    assert.deepEqual(
      Object.values(serving.load()).map(({ running }) => running),
      [0, 0, 0],
    );
    assert.equal(await post(serving), 201);
  });

  test('have a bound, beyond which the one that waits longest is cut off', async () => {
    const serving = await serve({ maxWaitingBodies: 3, maxWaitingBodiesPerAddress: 100 });
    const [first, ...others] = [await withSlowBody(serving), await withSlowBody(serving), await withSlowBody(serving)];
    assert.equal(others.length, 2);
    const last = await withSlowBody(serving, '{"na', 12);
    await endsWith(first, 408, 'TIMEOUT');
    last.write('me":"x"}');
    await last.until(/201 Created/);
    for (const bare of others) assert.ok(!bare.socket.closed);
    for (const bare of [...others, last]) bare.socket.destroy();
  });

  test('have a bound for each address', async () => {
    const serving = await serve({ maxWaitingBodies: 100, maxWaitingBodiesPerAddress: 2 });
    const [first, second] = [await withSlowBody(serving), await withSlowBody(serving, '{"na', 12)];
    const third = await withSlowBody(serving, '{"na', 12);
    await endsWith(first, 408, 'TIMEOUT');
    for (const bare of [second, third]) {
      bare.write('me":"x"}');
      await bare.until(/201 Created/);
      bare.socket.destroy();
    }
  });

  test('from a trusted proxy have no bound for its address, behind which there are many clients', async (t) => {
    const serving = await bare({ limits: { ...PATIENT, maxWaitingBodiesPerAddress: 1 }, trustedProxies: { from: ['127.0.0.1'] } });
    t.after(() => serving.close(50));
    const slow = await Promise.all(Array.from({ length: 3 }, () => withSlowBody(serving, '{"na', 12)));
    for (const each of slow) {
      each.write('me":"x"}');
      await each.until(/201 Created/);
      each.socket.destroy();
    }
  });

  test('have a bound for their bytes', async () => {
    const serving = await serve({ maxWaitingBytes: 50_000 });
    const first = await withSlowBody(serving, `{${' '.repeat(29_999)}`);
    const second = await withSlowBody(serving, `{${' '.repeat(29_999)}`);
    await endsWith(first, 408, 'TIMEOUT');
    assert.equal(await post(serving), 201);
    second.socket.destroy();
  });

  test('that come more slowly than is agreed are cut off with 408', async () => {
    const serving = await serve({ bodyGraceMs: 20, minBodyBytesPerSecond: 1_000_000 });
    await endsWith(await withSlowBody(serving), 408, 'TIMEOUT');
    assert.equal(await post(serving), 201);
  });

  test('that come as fast as is agreed are waited for', async () => {
    const serving = await serve({ bodyGraceMs: 20, minBodyBytesPerSecond: 1 });
    const steady = connect(serving);
    // With the headers, for the time that is conceded is short.
    steady.write(`${head('POST', `${M}/things`, ...POST, 'Content-Length: 2030')}{"name":"x",${' '.repeat(2000)}`);
    // Long enough for the server to have looked several times.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    steady.write(`${' '.repeat(10)}"b":1}${' '.repeat(12)}`.slice(0, 2030 - 2012));
    await steady.until(/HTTP\/1.1 201/);
    steady.socket.destroy();
  });
});

test('a thousand connections with one byte of body each shut nobody out', async (t) => {
  const serving = await bare({});
  t.after(() => serving.close(50));
  const slow = Array.from({ length: 1000 }, () => {
    const one = connect(serving);
    one.write(`${head('POST', `${M}/things`, ...POST, 'Content-Length: 1000')}{`);
    return one;
  });
  assert.equal(await post(serving), 201);
  const reading = connect(serving);
  reading.write(head('GET', `${M}/things/a`));
  await reading.until(/HTTP\/1.1 200/);
  for (const each of [...slow, reading]) each.socket.destroy();
});
