/** A controller in a Koa application: `node examples/koa.ts`, with the options of `npm start`. */
import Koa from 'koa';
import { koaMiddleware } from '../adapters/http/koa.ts';
import { run } from './hosts/run.ts';

await run((controller) => {
  const app = new Koa();
  app.use(async (context, next) => {
    if (context.path === '/health') context.body = 'ok';
    else await next();
  });
  // Before any body parser; `{ mount: '/overlay' }` mounts it under a path.
  app.use(koaMiddleware(controller));
  return app.callback();
});
