/**
 * A server to be measured, built with one of the frameworks, in a separate process. `/bare` is a plain route of the framework; a controller
 * in memory with one identity handles all other paths.
 */
import type { RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expressHandler } from '../adapters/http/express.ts';
import { fastifyPlugin } from '../adapters/http/fastify.ts';
import { honoHandler } from '../adapters/http/hono.ts';
import { koaMiddleware } from '../adapters/http/koa.ts';
import { clientCertificates, type Handling, nodeHandler } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { type NodeBindings, webListener } from '../examples/hosts/web.ts';
import { ManagementController } from '../src/index.ts';
import { selfSigned } from './certificate.ts';
import { reportToParent } from './measure.ts';

/** A body about as long as the JSON of an identity. */
const body = JSON.stringify({ data: 'x'.repeat(1800) });
const json = { 'content-type': 'application/json' };

const hosts: Readonly<Record<string, (controller: Handling) => RequestListener | Promise<RequestListener>>> = {
  node: (controller) => {
    const handler = nodeHandler(controller);
    return (req, res) => {
      if (req.url === '/bare') res.writeHead(200, { ...json, 'content-length': body.length }).end(body);
      else handler(req, res);
    };
  },
  express: (controller) =>
    express()
      .get('/bare', (_, res) => void res.type('json').send(body))
      .use(expressHandler(controller)),
  fastify: async (controller) => {
    const app = fastify();
    app.get('/bare', (_, reply) => reply.headers(json).send(body));
    app.register(fastifyPlugin(controller));
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  koa: (controller) =>
    new Koa()
      .use((context, next) => {
        if (context.path !== '/bare') return next();
        context.set(json);
        context.body = body;
        return undefined;
      })
      .use(koaMiddleware(controller))
      .callback(),
  hono: (controller) => {
    const app = new Hono<{ Bindings: NodeBindings }>();
    app.get('/bare', (c) => c.body(body, 200, json));
    app.all('*', honoHandler(controller));
    return webListener((request, bindings) => app.fetch(request, bindings));
  },
};

const host = hosts[process.argv[2] ?? ''];
if (!host) throw new Error(`the host must be one of ${Object.keys(hosts).join(', ')}, got '${process.argv[2]}'`);
const controller = await ManagementController.open({
  storage: memoryStorage(),
  platform: nodePlatform(),
  administrator: { password: 'bench-password' },
  settings: { address: 'https://127.0.0.1:1280' },
});
const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
const server = https.createServer({ ...(await selfSigned()), ...clientCertificates }, await host(controller));
server.listen(0, '127.0.0.1', () => reportToParent({ port: (server.address() as AddressInfo).port, id })); // the address of a listening TCP server has a port
