import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import Koa from 'koa';
import { expressErrorHandler } from '../../../adapters/http/express.ts';
import { fastifyErrorHandler } from '../../../adapters/http/fastify.ts';
import { fetchErrorHandler } from '../../../adapters/http/fetch.ts';
import { honoErrorHandler } from '../../../adapters/http/hono.ts';
import { koaErrorHandler } from '../../../adapters/http/koa.ts';
import { nodeErrorHandler } from '../../../adapters/http/node.ts';
import { ApiError } from '../../../src/index.ts';
import { testNetwork } from '../../../testing/index.ts';
import { type Host, opener } from '../../conformance/http/host.ts';

const refused = (): never => {
  throw new ApiError('CONFLICT');
};

test("without a handler of the host's own, Hono answers requests outside the API as it always does", async (t) => {
  const logged: unknown[] = [];
  t.mock.method(console, 'error', (error: unknown) => void logged.push(error));
  const fault = new Error('a fault of the host');
  const plain = new Hono();
  const app = new Hono().onError(honoErrorHandler());
  for (const each of [plain, app])
    each
      .get('/teapot', () => {
        throw new HTTPException(418, { message: 'a teapot' });
      })
      .get('/fault', () => {
        throw fault;
      });
  for (const path of ['/teapot', '/fault']) {
    const [expected, given] = [await plain.request(path), await app.request(path)];
    assert.deepEqual(
      [given.status, await given.text(), Object.fromEntries(given.headers)],
      [expected.status, await expected.text(), Object.fromEntries(expected.headers)],
    );
  }
  assert.deepEqual(logged, [fault, fault]);
});

test("without a handler of the host's own, Fastify answers requests outside the API as it always does", async () => {
  const [plain, app] = [fastify(), fastify()];
  app.setErrorHandler(fastifyErrorHandler());
  for (const each of [plain, app])
    each.get('/gone', async () => {
      throw Object.assign(new Error('gone for good'), { statusCode: 410 });
    });
  const [expected, given] = [await plain.inject('/gone'), await app.inject('/gone')];
  assert.deepEqual([given.statusCode, given.json()], [expected.statusCode, expected.json()]);
  assert.equal(given.statusCode, 410);
});

test('an error of another copy of the package is answered, too, and one that only has its name is not', async () => {
  const other: ApiError = Object.assign(new Error('from a bundle'), {
    name: 'ApiError',
    toAnswer: () => new ApiError('CONFLICT').toAnswer(),
  }) as never; // as a bundler leaves it
  const answering = (error: unknown) => fetchErrorHandler(async () => Promise.reject(error))(new Request('http://host/'));
  assert.equal((await answering(other)).status, 409);
  const named = Object.assign(new Error('of another API'), { name: 'ApiError', status: 409 });
  await assert.rejects(answering(named), named);
});

/** The host's own error handling. */
type Handled = (error: unknown, res: { destroy(): unknown }) => void;

/** Each begins to answer, and throws then. */
const late: readonly (readonly [name: string, application: (handled: Handled) => ReturnType<Host['application']>])[] = [
  [
    'Express',
    (handled) =>
      express()
        .use((_, res) => {
          res.write('half');
          refused();
        })
        .use(expressErrorHandler())
        .use(((error, _req, res, _next) => handled(error, res)) satisfies express.ErrorRequestHandler),
  ],
  [
    'Koa',
    (handled) => {
      const app = new Koa();
      app.silent = true;
      app.use(async (context, next) => {
        await next().catch((error: unknown) => handled(error, context.res));
      });
      app.use(koaErrorHandler());
      app.use((context) => {
        context.res.write('half');
        refused();
      });
      return app.callback();
    },
  ],
  [
    'node:http',
    (handled) => {
      const listener = nodeErrorHandler(async (_: IncomingMessage, res: ServerResponse) => {
        res.write('half');
        refused();
      });
      return (req, res) => void listener(req, res).catch((error: unknown) => handled(error, res));
    },
  ],
];
for (const [name, application] of late)
  test(`an error after an answer has begun is left to the host (${name})`, async (t) => {
    const seen: unknown[] = [];
    const handled: Handled = (error, res) => {
      seen.push(error);
      res.destroy();
    };
    const server = await opener({ name, application: () => application(handled) }, t)();
    await assert.rejects(server.ask('GET', '/'));
    assert.ok(seen[0] instanceof ApiError && seen.length === 1);
  });

test('a refusal is 403 for a known caller if the host asks for it, and stays 401 for others and by default', async () => {
  await using network = await testNetwork();
  const { controller } = network;
  const ann = await network.identity('ann');
  const { token } = await ann.login();
  const user = { id: ann.id };
  const refusals: readonly (readonly [number, () => Promise<unknown>])[] = [
    [403, () => controller.as(token).identities.list()],
    [403, () => controller.asIdentity(user.id).identities.list()],
    [401, () => controller.as('unknown').identities.list()],
  ];
  for (const [status, call] of refusals) {
    const route = async () => Response.json(await call());
    const request = new Request('http://host/');
    assert.equal((await fetchErrorHandler(route)(request)).status, 401);
    assert.equal((await fetchErrorHandler(route, { refusalStatus: 403 })(request)).status, status);

    const app = fastify();
    app.setErrorHandler(fastifyErrorHandler(undefined, { refusalStatus: 403 }));
    app.get('/', call);
    assert.equal((await app.inject('/')).statusCode, status);

    const hono = new Hono().onError(honoErrorHandler(undefined, { refusalStatus: 403 })).get('/', route);
    const answer = await hono.request('/');
    assert.deepEqual([answer.status, answer.headers.has('www-authenticate')], [status, status === 401]);
  }
});
