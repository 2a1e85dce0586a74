import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import Koa from 'koa';
import { fastifyPlugin } from '../../../adapters/http/fastify.ts';
import type { Handling } from '../../../adapters/http/handling.ts';
import { koaMiddleware } from '../../../adapters/http/koa.ts';
import { clientCertificates, type NodeOptions, nodeHandler } from '../../../adapters/http/node.ts';
import { type Behaviours, handlerOf, M } from '../../unit/http/fake-api.ts';
import { issuedByIntermediate, selfSigned } from './certificates.ts';
import { codeOf } from './sockets.ts';

type Listener = (req: http2.Http2ServerRequest, res: http2.Http2ServerResponse) => void;

const hosts: Readonly<Record<string, (controller: Handling, options?: NodeOptions) => Listener | Promise<Listener>>> = {
  'node:http2': nodeHandler,
  Koa: (controller, options) => {
    const app = new Koa();
    app.silent = true;
    return app.use(koaMiddleware(controller, options)).callback();
  },
  Fastify: async (controller, options) => {
    const app = fastify({ http2: true });
    app.register(fastifyPlugin(controller, options));
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
};

const certificate = selfSigned('server');
const LIMIT = 100_000;

const start = async (
  t: TestContext,
  host: (typeof hosts)[string],
  behaviours: Behaviours = {},
  client: http2.SecureClientSessionOptions = {},
  options: NodeOptions = {},
) => {
  const listener = await host({ handle: handlerOf(behaviours, { maxBodyBytes: LIMIT, requestTimeoutMs: 60_000 }) }, options);
  const server = http2.createSecureServer({ ...clientCertificates, ...certificate, allowHTTP1: true });
  server.on('request', listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...client });
  session.on('error', () => undefined);
  t.after(() => {
    session.destroy();
    server.close();
  });
  const begin = (method: string, path: string, headers: http2.OutgoingHttpHeaders = {}, options = {}) => {
    const stream = session.request({ ':method': method, ':path': path, 'zt-session': 'good', ...headers }, options);
    let text = '';
    stream.on('data', (part: Buffer) => (text += part));
    const answered = once(stream, 'response').then(async ([headers]) => {
      // A stream that the server has ended by a reset is closed without an end.
      if (!stream.closed) await Promise.race([once(stream, 'end'), once(stream, 'close')]);
      return { status: headers[':status'], headers, text };
    });
    return { stream, answered };
  };
  const ask = (method: string, path: string, headers?: http2.OutgoingHttpHeaders, body?: string) => {
    const { stream, answered } = begin(method, path, headers);
    stream.end(body);
    return answered;
  };
  return { port, session, begin, ask };
};

const JSON_BODY = { 'content-type': 'application/json' };

for (const [name, host] of Object.entries(hosts)) {
  describe(`HTTP/2 with ${name}`, () => {
    test('requests of all kinds are answered on one connection', async (t) => {
      const { ask } = await start(t, host);
      const answers = await Promise.all([
        ask('GET', `${M}/things/a%2Fb`),
        ask('POST', `${M}/things`, JSON_BODY, '{"name":"x"}'),
        ask('POST', `${M}/things`, JSON_BODY),
        ask('DELETE', `${M}/things/a`),
        ask('HEAD', `${M}/things`),
        ask('POST', `${M}/sign`, { 'content-type': 'text/plain' }, 'a\r\nb\r\n'),
        ask('GET', '/nope'),
        ask('GET', '/.well-known/est/cacerts'),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 201, 400, 200, 405, 200, 404, 200],
      );
      assert.match(answers[0].text, /"id":"a\/b"/);
      assert.match(answers[5].text, /"body":"a\\r\\nb\\r\\n"/);
      assert.ok(answers.every(({ headers }) => headers['connection'] === undefined));
    });

    test('a body that no handler reads ends its stream, and the connection stays open', async (t) => {
      const { begin, ask, session } = await start(t, host);
      const announced = begin('POST', `${M}/things`, { ...JSON_BODY, 'content-length': LIMIT + 1 });
      const refused = await announced.answered;
      assert.deepEqual([refused.status, codeOf(refused.text)], [413, 'REQUEST_ENTITY_TOO_LARGE']);
      const endless = begin('POST', `${M}/things`, JSON_BODY);
      endless.stream.on('error', () => undefined);
      const flood = setInterval(() => endless.stream.writableLength === 0 && endless.stream.write(Buffer.alloc(0x4000, ' ')), 1);
      assert.equal((await endless.answered).status, 413);
      if (!endless.stream.closed) await once(endless.stream, 'close');
      clearInterval(flood);
      assert.equal(endless.stream.rstCode, http2.constants.NGHTTP2_NO_ERROR);
      assert.equal((await ask('GET', '/version')).status, 200);
      assert.ok(!session.closed);
    });

    test('a body that breaks off calls no operation, and work that nobody waits for is aborted', async (t) => {
      let calls = 0;
      const { promise: aborted, resolve } = Promise.withResolvers<string>();
      const { promise: begun, resolve: working } = Promise.withResolvers<void>();
      const { begin, ask } = await start(t, host, {
        create: () => ++calls,
        get: (source) => {
          source.signal?.addEventListener('abort', () => resolve('aborted'));
          working();
          return aborted;
        },
      });
      const post = begin('POST', `${M}/things`, { ...JSON_BODY, 'content-length': 100 });
      post.answered.catch(() => undefined);
      post.stream.on('error', () => undefined).write('{"name":"x"}');
      await sleep(50);
      post.stream.close(http2.constants.NGHTTP2_CANCEL);
      const get = begin('GET', `${M}/things/a`);
      get.answered.catch(() => undefined);
      get.stream.on('error', () => undefined);
      await begun;
      get.stream.close(http2.constants.NGHTTP2_CANCEL);
      assert.equal(await aborted, 'aborted');
      assert.equal((await ask('GET', '/version')).status, 200);
      assert.equal(calls, 0);
    });

    test('certificates of the client come with every request, looked up once for the connection', async (t) => {
      const seen: (readonly Uint8Array[] | undefined)[] = [];
      const { leaf, intermediate } = issuedByIntermediate('h2');
      const { ask } = await start(
        t,
        host,
        { version: (source) => seen.push(source.peerCertificates) },
        { key: leaf.key, cert: leaf.cert + intermediate.cert },
      );
      await ask('GET', '/version');
      await ask('GET', '/version');
      assert.deepEqual(seen[0], [leaf.der, intermediate.der]);
      assert.equal(seen[1], seen[0]);
    });
  });
}

for (const [name, host] of Object.entries(hosts)) {
  describe(`slow bodies on one connection of HTTP/2 with ${name}`, () => {
    /** Streams that have sent a part of their body; with what `started` gave. */
    const startSlow = async (t: TestContext, options: NodeOptions) => {
      const started = await start(t, host, {}, {}, { bodyGraceMs: 60_000, ...options });
      const slow = (part: string) => {
        const begun = started.begin('POST', `${M}/things`, JSON_BODY);
        begun.stream.on('error', () => undefined).write(part);
        begun.answered.catch(() => undefined);
        return begun;
      };
      return { ...started, slow, post: () => started.ask('POST', `${M}/things`, JSON_BODY, '{"name":"x"}') };
    };
    const assertCutOff = async ({ answered }: { readonly answered: Promise<{ status: number | undefined; text: string }> }) => {
      const { status, text } = await answered;
      assert.deepEqual([status, codeOf(text)], [408, 'TIMEOUT']);
    };

    test('have the limit of their address; beyond it the one that has waited longest is cut off, and its connection stays open', async (t) => {
      const { slow, ask } = await startSlow(t, { maxWaitingBodiesPerAddress: 2 });
      const [first, second, third] = [slow('{'), slow('{"na'), slow('{"na')];
      await assertCutOff(first);
      for (const { stream, answered } of [second, third]) {
        stream.end('me":"x"}');
        assert.equal((await answered).status, 201);
      }
      assert.equal((await ask('GET', '/version')).status, 200);
    });

    test('have a bound for their bytes', async (t) => {
      const { slow, post } = await startSlow(t, { maxWaitingBytes: 50_000 });
      const part = `{${' '.repeat(29_999)}`;
      const first = slow(part);
      slow(part);
      await assertCutOff(first);
      assert.equal((await post()).status, 201);
    });

    test('that come more slowly than is agreed are cut off', async (t) => {
      const { slow, post } = await startSlow(t, { bodyGraceMs: 20, minBodyBytesPerSecond: 1_000_000 });
      await assertCutOff(slow('{'));
      assert.equal((await post()).status, 201);
    });

    test('take no place among the requests that are handled', async (t) => {
      const { slow, post } = await startSlow(t, { maxConcurrent: 2 });
      const many = Array.from({ length: 8 }, () => slow('{'));
      assert.equal((await post()).status, 201);
      for (const { stream } of many) assert.ok(!stream.closed);
    });

    test('shut nobody out when there are a thousand', async (t) => {
      const { slow, post, ask } = await startSlow(t, { maxQueueMs: 60_000 });
      const many = Array.from({ length: 1000 }, () => slow('{'));
      assert.equal((await post()).status, 201);
      assert.equal((await ask('GET', `${M}/things/a`)).status, 200);
      const cut = await Promise.all(many.slice(0, 850).map(({ answered }) => answered));
      assert.ok(cut.every(({ status }) => status === 408));
    });
  });
}

test('clients of HTTP/1 are served on the same port', async (t) => {
  const { port } = await start(t, nodeHandler);
  const status = await new Promise((resolve, reject) => {
    https
      .get({ host: '127.0.0.1', port, path: '/version', rejectUnauthorized: false, agent: false }, (answer) => resolve(answer.statusCode))
      .on('error', reject);
  });
  assert.equal(status, 200);
});
