/**
 * A server to be measured, in a separate process: `bare`, or a controller on a store (`memory`, `sqlite:FILE`, `postgres://...`) with a
 * network of a given size. With the argument `fill`, the store is opened for fast writes. Reports the port in a message, and the resource
 * usage on request.
 */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { ManagementController } from '../src/index.ts';
import { bearerToken } from './bearer.ts';
import { selfSigned } from './certificate.ts';
import type { Size } from './data.ts';
import { load } from './fill.ts';
import { reportToParent } from './measure.ts';
import { SECRET_KEY, storageOf } from './stores.ts';

const [kind = 'bare', size = '{}', purpose] = process.argv.slice(2);
const tls = await selfSigned();

if (kind === 'bare') {
  const body = JSON.stringify({ data: 'x'.repeat(1800) });
  const server = https.createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => reportToParent({ port: (server.address() as AddressInfo).port }));
} else {
  const began = performance.now();
  let statements = 0;
  const controller = await ManagementController.open({
    storage: storageOf(kind, purpose === 'fill'),
    platform: nodePlatform(),
    secretKey: SECRET_KEY,
    administrator: { password: 'bench-password' },
    settings: { address: 'https://127.0.0.1:1280' },
    oidc: true,
    observe: (event) => {
      if (event.type === 'operation') statements += event.statements;
    },
  });
  const openedMs = performance.now() - began;
  const filled = await load(controller, JSON.parse(size) as Size);
  const { port } = await serve({ controller, tls });
  reportToParent(
    { port, openedMs, bearer: await bearerToken(controller, filled.client), ...filled },
    () => controller.close(),
    () => statements,
  );
}
