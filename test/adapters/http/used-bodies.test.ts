import assert from 'node:assert/strict';
import { test } from 'node:test';
import express, { type RequestHandler } from 'express';
import { Hono } from 'hono';
import Koa from 'koa';
import { expressHandler } from '../../../adapters/http/express.ts';
import { fetchHandler } from '../../../adapters/http/fetch.ts';
import { honoHandler } from '../../../adapters/http/hono.ts';
import { koaMiddleware } from '../../../adapters/http/koa.ts';
import { opener } from '../../conformance/http/host.ts';
import { handlerOf, logged, M } from '../../unit/http/fake-api.ts';

const controller = { handle: handlerOf() };
const json = { 'zt-session': 'good', 'content-type': 'application/json' };
const requestTo = (path: string, body: string, type = 'application/json') =>
  new Request(`https://ctrl.test${path}`, { method: 'POST', headers: { ...json, 'content-type': type }, body });

test('a body that middleware of Hono has read counts all the same', async () => {
  for (const read of ['json', 'text', 'arrayBuffer'] as const) {
    const app = new Hono();
    app.use(async (c, next) => {
      await c.req[read]();
      await next();
    });
    app.all('*', honoHandler(controller));
    assert.equal((await app.fetch(requestTo(`${M}/things`, '{"name":"x"}'))).status, 201, read);
    assert.equal((await app.fetch(requestTo(`${M}/things`, `{"name":"${'x'.repeat(1000)}"}`))).status, 413, read);
  }
  const app = new Hono();
  app.use(async (c, next) => {
    await c.req.text();
    await next();
  });
  app.all('*', honoHandler(controller));
  assert.match(await (await app.fetch(requestTo(`${M}/sign`, 'a\r\n', 'text/plain'))).text(), /"body":"a\\r\\n"/);
});

test('Hono’s own bindings and options describe the connection', async () => {
  const seen: unknown[] = [];
  const seeing = {
    handle: handlerOf({ version: (source) => seen.push(source.remoteAddress, source.peerCertificates) }),
  };
  const certificate = new Uint8Array([1]);
  const app = new Hono();
  app.all(
    '/own/*',
    honoHandler(seeing, { mount: '/own', connection: () => ({ remoteAddress: '10.0.0.1', peerCertificates: [certificate] }) }),
  );
  app.all('/*', honoHandler(seeing));
  const incoming = { socket: { remoteAddress: '10.0.0.2' } };
  await app.request('/own/version');
  await app.request('/version', {}, { incoming });
  await app.request('/version', {}, { incoming: 'a binding of another runtime' });
  await app.request('/version');
  assert.deepEqual(seen, ['10.0.0.1', [certificate], '10.0.0.2', [], '', [], '', []]);
});

test('the bytes that a parser kept beside what it made of them win', async (t) => {
  // Koa's body parsers and some serverless hosts keep them as `rawBody`.
  const keep: RequestHandler = express.json({ verify: (req, _, bytes) => Object.assign(req, { rawBody: bytes }) });
  const hosts = {
    express: () => express().use(keep, expressHandler(controller)),
    koa: () =>
      new Koa()
        .use(async ({ req, request }, next) => {
          let rawBody = '';
          for await (const part of req) rawBody += part;
          Object.assign(request, { body: JSON.parse(rawBody), rawBody });
          await next();
        })
        .use(koaMiddleware(controller))
        .callback(),
  };
  for (const [name, application] of Object.entries(hosts)) {
    const server = await opener({ name, application }, t)();
    const { status } = await server.ask('POST', `${M}/things`, { headers: json, body: '{"name":"x","tags":{"a":1e999}}' });
    assert.equal(status, 400, name);
  }
});

test('a body that is gone when the controller wants it is the host’s mistake, and the log says how to mend it', async (t) => {
  const drain: RequestHandler = (req, _, next) => void req.resume().on('end', next);
  const server = await opener({ name: 'draining', application: () => express().use(drain, expressHandler(controller)) }, t)();
  const { status, json: answer } = await server.ask('POST', `${M}/things`, { headers: json, body: '{"name":"x"}' });
  assert.deepEqual([status, answer.error.code], [500, 'UNHANDLED']);
  assert.match(String(logged.at(-1)?.details?.['error']), /mount the controller before anything that reads bodies/);
  assert.equal((await server.ask('GET', '/version')).status, 200);

  const request = requestTo(`${M}/things`, '{"name":"x"}');
  await request.text();
  assert.equal((await fetchHandler(controller)(request)).status, 500);
});

test('middleware that left an empty object without reading does no harm', async (t) => {
  // As body-parser 1 of Express 4 does for media types that it does not parse.
  const empty: RequestHandler = (req, _, next) => next(void (req.body = {}));
  const server = await opener({ name: 'empty', application: () => express().use(empty, expressHandler(controller)) }, t)();
  const { json: answer } = await server.ask('POST', `${M}/sign`, { headers: { 'content-type': 'text/plain' }, body: 'text' });
  assert.equal(answer.data.body, 'text');
});

test('Express tells the address that it trusts its proxy for', async (t) => {
  const seeing = { handle: handlerOf({ version: (source) => source.remoteAddress }) };
  const server = await opener({ name: 'proxied', application: () => express().set('trust proxy', true).use(expressHandler(seeing)) }, t)();
  const { json: answer } = await server.ask('GET', '/version', { headers: { 'x-forwarded-for': '10.1.2.3' } });
  assert.equal(answer.data, '10.1.2.3');
});

test('an answer that somebody else has begun is cut off, and the host lives on', async (t) => {
  const begin: RequestHandler = (req, res, next) => {
    if (req.url === '/begun') res.writeHead(200).write('begun');
    next();
  };
  const server = await opener({ name: 'begun', application: () => express().use(begin, expressHandler(controller)) }, t)();
  await assert.rejects(server.ask('GET', '/begun'), { code: 'ECONNRESET' });
  assert.equal((await server.ask('GET', '/version')).status, 200);
});
