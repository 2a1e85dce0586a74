/**
 * A controller in a Hono application: `node examples/hono.ts`, with the options of `npm start`. On Bun, Deno and workers, the runtime
 * serves the application. On Node, `@hono/node-server` does; here, a listener shared by these examples replaces it.
 */
import { Hono } from 'hono';
import { honoHandler } from '../adapters/http/hono.ts';
import { run } from './hosts/run.ts';
import { type NodeBindings, webListener } from './hosts/web.ts';

await run((controller) => {
  const app = new Hono<{ Bindings: NodeBindings }>();
  app.get('/health', (c) => c.text('ok'));
  // `app.all('/overlay/*', honoHandler(controller, { mount: '/overlay' }))` mounts it under a path.
  app.all('*', honoHandler(controller));
  return webListener((request, bindings) => app.fetch(request, bindings));
});
