/** A server to be measured, in a process of its own: `bare`, `memory`, `sqlite:FILE` or `postgres:...`, filled with so many identities. Tells its port by message. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { postgresStorage, sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { ManagementController, type StorageAdapter } from '../src/index.ts';
import { selfSigned } from './certificate.ts';
import { identityBody } from './data.ts';

const [kind = 'bare', count = '0'] = process.argv.slice(2);
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
  const storage = storageOf(kind);
  const controller = await ManagementController.open({ storage, platform: nodePlatform(), administrator: { password: 'bench-password' } });
  const opened = performance.now() - began;
  const have = (await controller.identities.list({ limit: 1 })).pagination.totalCount;
  for (let i = have - 1; i < Number(count); i++) await controller.identities.create({ body: identityBody(i) });
  const { port } = await serve({ controller, tls });
  tell({ port, opened });
}

function storageOf(kind: string): StorageAdapter {
  if (kind.startsWith('postgres:')) return postgresStorage({ connectionString: kind });
  return kind === 'memory' ? memoryStorage() : sqliteStorage({ file: kind.slice('sqlite:'.length) });
}
