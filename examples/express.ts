/** A controller in an Express application: `node examples/express.ts`, with the options of `npm start`. */
import express from 'express';
import { expressHandler } from '../adapters/http/express.ts';
import { run } from './hosts/run.ts';

await run((controller) => {
  const app = express();
  app.get('/health', (_, res) => void res.send('ok'));
  // Before any body parser; `app.use('/overlay', ...)` mounts it under a path.
  app.use(expressHandler(controller));
  return app;
});
