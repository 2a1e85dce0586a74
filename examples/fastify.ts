/** A controller in a Fastify application: `node examples/fastify.ts`, with the options of `npm start`. */
import fastify from 'fastify';
import { fastifyPlugin } from '../adapters/http/fastify.ts';
import { run } from './hosts/run.ts';

await run(async (controller) => {
  const app = fastify();
  app.get('/health', async () => 'ok');
  // `{ prefix: '/overlay' }` mounts it under a path.
  app.register(fastifyPlugin(controller));
  await app.ready();
  return (req, res) => app.routing(req, res);
});
