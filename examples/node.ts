/** A controller on a server of your own: `node examples/node.ts`, with the options of `npm start`. */
import { nodeHandler } from '../adapters/http/node.ts';
import { run } from './hosts/run.ts';

await run((controller) => {
  const handler = nodeHandler(controller);
  return (req, res) => {
    if (req.url === '/health') res.end('ok');
    else handler(req, res);
  };
});
