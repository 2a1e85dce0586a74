import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expressErrorHandler } from '../../../adapters/http/express.ts';
import { fastifyErrorHandler } from '../../../adapters/http/fastify.ts';
import { fetchErrorHandler } from '../../../adapters/http/fetch.ts';
import { honoErrorHandler } from '../../../adapters/http/hono.ts';
import { koaErrorHandler } from '../../../adapters/http/koa.ts';
import { nextErrorHandler } from '../../../adapters/http/next.ts';
import { nodeErrorHandler } from '../../../adapters/http/node.ts';
import { webListener } from '../../../examples/hosts/web.ts';
import { ApiError } from '../../../src/index.ts';
import { testNetwork } from '../../../testing/index.ts';
import { type Host, JSON_BODY, opener } from '../../conformance/http/host.ts';

const network = await testNetwork();
after(() => network[Symbol.asyncDispose]());

const FAULT = new Error('a fault of the host');
const pathOf = (url = '') => new URL(url, 'http://host').pathname;

/** What a route of the host does, in every framework. */
const route = async (path: string): Promise<string> => {
  if (path === '/limited') throw new ApiError('RATE_LIMITED', { retryAfter: 7 });
  if (path === '/fault') throw FAULT;
  return (await network.controller.api.identities.get({ id: path.slice(1) })).name;
};
/** What it has said of its answer by then, of which only the first is still true. */
const SAID = [
  ['x-own', 'yes'],
  ['content-encoding', 'gzip'],
  ['cache-control', 'public'],
  ['etag', '"1"'],
] as const;
/** How the host answers an error that is none of the API's. */
const ownAnswer = (error: unknown): string => `of the host: ${(error as Error).message}`;

const onWeb = (handler: (request: Request) => Promise<Response>) =>
  webListener((request) => handler(request).catch((error: unknown) => new Response(ownAnswer(error), { status: 500 })));
const webRoute = async (request: Request) => new Response(await route(pathOf(request.url)));

const hosts: readonly Host[] = [
  {
    name: 'Express',
    application: () =>
      express()
        .use(async (req, res) => {
          for (const [name, value] of SAID) res.setHeader(name, value);
          res.send(await route(req.path));
        })
        .use(expressErrorHandler())
        .use(((error, _req, res, _next) => void res.status(500).send(ownAnswer(error))) satisfies express.ErrorRequestHandler),
  },
  {
    name: 'Fastify',
    application: async () => {
      const app = fastify({ requestIdHeader: 'x-request-id' });
      app.setErrorHandler((error, _, reply) => reply.code(500).send(ownAnswer(error)));
      app.register(async (scope) => {
        scope.setErrorHandler(fastifyErrorHandler());
        scope.all('/*', async (request, reply) => {
          for (const [name, value] of SAID) reply.header(name, value);
          return route(pathOf(request.url));
        });
      });
      await app.ready();
      return (req, res) => app.routing(req, res);
    },
  },
  {
    name: 'Fastify, with a handler of its own beside',
    application: async () => {
      const app = fastify({ requestIdHeader: 'x-request-id' });
      app.setErrorHandler(fastifyErrorHandler((error, _, reply) => reply.code(500).send(ownAnswer(error))));
      app.all('/*', async (request, reply) => {
        for (const [name, value] of SAID) reply.header(name, value);
        return route(pathOf(request.url));
      });
      await app.ready();
      return (req, res) => app.routing(req, res);
    },
  },
  {
    name: 'Koa',
    application: () => {
      const app = new Koa();
      app.use((context, next) =>
        next().catch((error: unknown) => {
          context.status = 500;
          context.body = ownAnswer(error);
        }),
      );
      app.use(koaErrorHandler());
      app.use(async (context) => {
        for (const [name, value] of SAID) context.set(name, value);
        context.body = await route(context.path);
      });
      return app.callback();
    },
  },
  {
    name: 'Hono',
    application: () => {
      const app = new Hono();
      app.onError(honoErrorHandler((error, context) => context.newResponse(ownAnswer(error), { status: 500 })));
      app.use(async (context, next) => {
        context.res.headers.set('x-own', 'yes');
        await next();
      });
      app.all('/*', async (context) => {
        for (const [name, value] of SAID) context.header(name, value);
        return context.text(await route(context.req.path));
      });
      return webListener((request) => app.fetch(request));
    },
  },
  { name: 'web-standard requests', application: () => onWeb(fetchErrorHandler(webRoute)) },
  {
    name: 'Next.js',
    application: () => {
      const GET = nextErrorHandler((request: Request, _: { readonly params: Promise<object> }) => webRoute(request));
      return onWeb((request) => GET(request, { params: Promise.resolve({}) }));
    },
  },
  {
    name: 'node:http',
    application: () => {
      const listener = nodeErrorHandler(async (req: IncomingMessage, res: ServerResponse) => {
        for (const [name, value] of SAID) res.setHeader(name, value);
        res.end(await route(pathOf(req.url)));
      });
      return (req, res) => void listener(req, res).catch((error: unknown) => res.writeHead(500).end(ownAnswer(error)));
    },
  },
];

for (const host of hosts)
  describe(`errors in routes of the host's own: ${host.name}`, () => {
    test('an error of the API is answered as the controller answers it', async (t) => {
      const { status, headers, json } = await (await opener(host, t)()).ask('GET', '/limited');
      assert.equal(status, 429);
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      assert.deepEqual(
        ['retry-after', 'cache-control', 'x-content-type-options', 'content-encoding', 'etag'].map((name) => headers[name]),
        ['7', 'no-store', 'nosniff', undefined, undefined],
      );
      assert.equal(json.error.code, 'RATE_LIMITED');
      assert.deepEqual(json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
    });

    test('so is what a call of the controller throws, with its reason', async (t) => {
      const server = await opener(host, t)();
      const { status, json } = await server.ask('POST', '/nope', { body: '{}', headers: JSON_BODY });
      assert.deepEqual([status, json.error.code, json.error.cause.message], [404, 'NOT_FOUND', 'identity with id nope not found']);
      const limited = await server.ask('GET', '/limited', { headers: { 'x-request-id': 'req-7' } });
      assert.equal(limited.json.error.requestId, 'req-7');
      const head = await server.ask('HEAD', '/limited');
      assert.deepEqual([head.status, head.text], [429, '']);
    });

    test("anything else goes to the host's own error handling", async (t) => {
      const { status, text } = await (await opener(host, t)()).ask('GET', '/fault');
      assert.deepEqual([status, text], [500, ownAnswer(FAULT)]);
    });
  });
