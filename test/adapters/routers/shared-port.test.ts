import assert from 'node:assert/strict';
import https from 'node:https';
import { test } from 'node:test';
import { serve } from '../../../adapters/http/node.ts';
import { routerHandler } from '../../../adapters/routers/node.ts';
import { deferredRouterHandler } from '../../../server/router-port.ts';
import { type TestNetwork, testNetwork } from '../../../testing/index.ts';
import { until } from '../../support/until.ts';
import { isOnline, tls } from './support.ts';

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

const versionAt = (port: number, ALPNProtocols?: readonly string[]): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/version', agent: false, rejectUnauthorized: false };
    https
      .get({ ...options, ...(ALPNProtocols ? { ALPNProtocols: [...ALPNProtocols] } : {}) }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject);
  });

const started = async (): Promise<{ readonly network: TestNetwork; readonly serving: Awaited<ReturnType<typeof serve>> }> => {
  const network = await testNetwork({ platform: { logger: SILENT } });
  const { controller } = network;
  return { network, serving: await serve({ controller, tls, routers: routerHandler(controller) }) };
};

test('routers and HTTP share a port', async () => {
  const { network, serving } = await started();
  const { port } = serving;
  const fra1 = await network.edgeRouter('fra1');
  const router = await fra1.dial({ port });
  await until(() => isOnline(network, fra1.id));
  assert.equal(await versionAt(port), 200);
  assert.equal(await versionAt(port, ['http/1.1']), 200);
  // Another client protocol is none of both.
  await assert.rejects(versionAt(port, ['h2']), /alert|ECONNRESET/);
  serving.renewTls(tls);
  const fra2 = await network.edgeRouter('fra2');
  await fra2.dial({ port });
  assert.equal(await versionAt(port), 200);
  await serving.close(1000);
  await until(() => router.signal.aborted);
  assert.equal(await isOnline(network, fra1.id), false);
  await network.close();
});

test('a controller that closes ends the connections of its routers', async () => {
  const { network, serving } = await started();
  const router = await (await network.edgeRouter('fra1')).dial({ port: serving.port });
  await network.close();
  await until(() => router.signal.aborted);
  await serving.close(100);
});

test('routers need TLS', async () => {
  await using network = await testNetwork({ platform: { logger: SILENT } });
  const { controller } = network;
  await assert.rejects(serve({ controller, routers: routerHandler(controller) }), /the option 'routers' of serve needs the option 'tls'/);
});

test('a server whose controller is not open yet sends routers away, and takes them afterwards', async () => {
  await using network = await testNetwork({ platform: { logger: SILENT } });
  const { controller } = network;
  const { promise: opened, resolve: open } = Promise.withResolvers<typeof controller>();
  const serving = await serve({ controller, tls, routers: deferredRouterHandler(opened) });
  const fra1 = await network.edgeRouter('fra1');
  await assert.rejects(fra1.dial({ port: serving.port }));
  open(controller);
  await opened;
  const router = await fra1.dial({ port: serving.port });
  await serving.close(100);
  await until(() => router.signal.aborted);
});
