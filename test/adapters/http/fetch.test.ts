import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../../adapters/http/fetch.ts';
import { type Behaviour, handlerOf, M } from '../../unit/http/fake-api.ts';
import { codeOf } from './sockets.ts';

const handler = fetchHandler({ handle: handlerOf() });
const headers = { 'zt-session': 'good' };
const json = { ...headers, 'content-type': 'application/json' };

test('an endless body is 413, and its stream cancelled', async () => {
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 500;
      controller.enqueue(new Uint8Array(500).fill(32));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  // `duplex` is needed for streams, and missing in the types.
  const response = await handler(
    new Request(`https://ctrl.test${M}/things`, { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit),
  );
  assert.deepEqual([response.status, codeOf(await response.text())], [413, 'REQUEST_ENTITY_TOO_LARGE']);
  assert.ok(cancelled);
  assert.ok(sent < 5000, String(sent));
});

test('a stream that breaks is a body cut off', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  const response = await handler(
    new Request(`https://ctrl.test${M}/things`, { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit),
  );
  assert.equal(response.status, 400);
});

test('certificates and address come from the host', async () => {
  const seen: unknown[] = [];
  const remember: Behaviour = (source) => {
    seen.push(source.peerCertificates, source.remoteAddress);
    return {};
  };
  const seeing = fetchHandler({ handle: handlerOf({ version: remember }) });
  const certificate = new Uint8Array([1]);
  await seeing(new Request('https://ctrl.test/version'), { peerCertificates: [certificate], remoteAddress: '10.0.0.1' });
  assert.deepEqual(seen, [[certificate], '10.0.0.1']);
});

test('below a mount point, only its paths are answered', async () => {
  const mounted = fetchHandler({ handle: handlerOf() }, { mount: '/overlay/' });
  const status = async (path: string) => (await mounted(new Request(`https://ctrl.test${path}`, { headers }))).status;
  assert.deepEqual(
    await Promise.all(['/overlay', '/overlay/', `/overlay${M}/things/a`, '/overlay?x', '/overlayed', '/'].map(status)),
    [200, 200, 200, 200, 404, 404],
  );
});

test('HEAD has no body', async () => {
  const response = await handler(new Request(`https://ctrl.test${M}/things`, { method: 'HEAD', headers }));
  assert.deepEqual([response.status, await response.text()], [405, '']);
});
