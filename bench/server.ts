/**
 * A server to be measured, in a process of its own: `bare`, or a store (`memory`, `sqlite:FILE`, `postgres://...`) with a network of a
 * size. Tells its port by message, and its use of the processor when asked.
 */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { ManagementController } from '../src/index.ts';
import { selfSigned } from './certificate.ts';
import type { Size } from './data.ts';
import { load } from './fill.ts';
import { storageOf } from './stores.ts';

/** Of all the runs: a store is filled by one process and measured in another. */
const SECRET_KEY = Buffer.alloc(32, 'bench').toString('base64');
const [kind = 'bare', size = '{}'] = process.argv.slice(2);
const tls = await selfSigned();

const tell = (message: Readonly<Record<string, unknown>>) => process.send?.(message);
process.on('message', (question) => {
  if (question === 'usage') tell({ ...process.cpuUsage(), rss: process.memoryUsage().rss });
});
process.on('disconnect', () => process.exit());

if (kind === 'bare') {
  const body = JSON.stringify({ data: 'x'.repeat(1800) });
  const server = https.createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));
} else {
  const began = performance.now();
  const controller = await ManagementController.open({
    storage: storageOf(kind),
    platform: nodePlatform(),
    secretKey: SECRET_KEY,
    administrator: { password: 'bench-password' },
  });
  const openedMs = performance.now() - began;
  const filled = await load(controller, JSON.parse(size) as Size);
  const { port } = await serve({ controller, tls });
  tell({ port, openedMs, ...filled });
}
