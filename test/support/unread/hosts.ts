/** A process that serves one network through every HTTP host, and tells its parent the ports and the tokens of sessions. */
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expressHandler } from '../../../adapters/http/express.ts';
import { fastifyPlugin } from '../../../adapters/http/fastify.ts';
import { fetchHandler } from '../../../adapters/http/fetch.ts';
import type { Handling } from '../../../adapters/http/handling.ts';
import { honoHandler } from '../../../adapters/http/hono.ts';
import { koaMiddleware } from '../../../adapters/http/koa.ts';
import { type NextHandlers, nextHandlers } from '../../../adapters/http/next.ts';
import { nodeHandler } from '../../../adapters/http/node.ts';
import { webListener } from '../../../examples/hosts/web.ts';
import { service } from '../../../src/contract/api/services.ts';
import { openApp } from '../app.ts';
import { newSharedStorage } from '../stores.ts';

/** What the parent is told. */
export interface Served {
  /** By the name of the host. */
  readonly ports: Readonly<Record<string, number>>;
  /** Sessions of two identities that may use all services. */
  readonly ann: string;
  readonly bob: string;
}

/** A page of all services with their configs has some 8 MB. */
const SERVICES = 100;
const CONFIG_BYTES = 79_000;

const hosts: Readonly<Record<string, (controller: Handling) => RequestListener | Promise<RequestListener>>> = {
  node: (controller) => nodeHandler(controller),
  express: (controller) => express().use(expressHandler(controller)),
  fastify: async (controller) => {
    const app = fastify();
    app.register(fastifyPlugin(controller));
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  koa: (controller) => new Koa().use(koaMiddleware(controller)).callback(),
  fetch: (controller) => {
    const handler = fetchHandler(controller);
    return webListener((request) => handler(request));
  },
  hono: (controller) => {
    const app = new Hono().all('/*', honoHandler(controller));
    return webListener((request, bindings) => app.fetch(request, bindings));
  },
  next: (controller) => {
    const handlers = nextHandlers(controller);
    return webListener((request) => handlers[request.method as keyof NextHandlers](request)); // it gets no others here
  },
};

const shared = newSharedStorage('sqlite');
const app = await openApp('sqlite', { storage: shared.adapter(), oidc: false });
const configTypeId = await app.create('/config-types', { name: 'type' });
const configs: string[] = [];
for (let i = 0; i < SERVICES; i++)
  configs.push(await app.create('/configs', { name: `c${i}`, configTypeId, data: { text: `${i}`.repeat(CONFIG_BYTES / `${i}`.length) } }));
await app.inStore('write', async (entities) => {
  for (const [i, config] of configs.entries())
    await entities.insert(service, {
      name: `s${i}`,
      encryptionRequired: true,
      maxIdleTimeMillis: 0,
      terminatorStrategy: 'smartrouting',
      roleAttributes: [],
      configs: [config],
    });
});
await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] });
const [ann, bob] = [await (await app.user()).login(), await (await app.user()).login()];

const ports: Record<string, number> = {};
for (const [name, application] of Object.entries(hosts)) {
  const server = http.createServer(await application(app.controller));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ports[name] = (server.address() as AddressInfo).port; // a TCP server that listens has one
}
process.send?.({ ports, ann, bob } satisfies Served);
process.once('disconnect', async () => {
  await app.close();
  await shared[Symbol.asyncDispose]();
  process.exit();
});
