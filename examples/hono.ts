/**
 * A controller in a Hono application: `node examples/hono.ts`, with the options of `npm start`. On Bun, Deno and workers the application is served
 * by the runtime itself, on Node by `@hono/node-server`, whose part is taken by a listener of these examples.
 */
import { Hono } from 'hono';
import { honoHandler } from '../adapters/http/hono.ts';
import { run } from './hosts/run.ts';
import { type NodeBindings, webListener } from './hosts/web.ts';

await run((controller) => {
  const app = new Hono<{ Bindings: NodeBindings }>();
  app.get('/health', (c) => c.text('ok'));
  // `app.all('/overlay/*', honoHandler(controller, { mount: '/overlay' }))` puts it below a path.
  app.all('*', honoHandler(controller));
  return webListener((request, bindings) => app.fetch(request, bindings));
});
