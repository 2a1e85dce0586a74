import { nodeHandler } from '../../../adapters/http/node.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'node:http and node:https',
  application: (controller, mount) => {
    const listener = nodeHandler(controller, { mount });
    return (req, res) => {
      res.setHeader('x-host', 'yes');
      listener(req, res, () => res.writeHead(418).end());
    };
  },
});
