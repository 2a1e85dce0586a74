import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressHandler } from '../../adapters/http/express.ts';
import { fastifyPlugin } from '../../adapters/http/fastify.ts';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { honoHandler } from '../../adapters/http/hono.ts';
import { koaMiddleware } from '../../adapters/http/koa.ts';
import { nextHandlers } from '../../adapters/http/next.ts';
import { nodeHandler, serve } from '../../adapters/http/node.ts';
import { nodePlatform } from '../../adapters/platform/node.ts';
import { kyselyStorage, postgresStorage, sqlite, sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { createClient } from '../../client/index.ts';
import { checkedOptions } from '../../src/contract/options.ts';
import { ManagementController, networkAuthority, restoreSnapshot, webPlatform } from '../../src/index.ts';
import { testNetwork } from '../../testing/index.ts';

const quiet = webPlatform({ logger: { error: () => undefined, warn: () => undefined, info: () => undefined } });
const known = { storage: true, secretKey: true } as const;
const checked = (options: object) => () => checkedOptions('open', options as { storage?: unknown; secretKey?: unknown }, known);

test('an option that nothing knows is refused with its name, and with the one that was probably meant', () => {
  assert.doesNotThrow(checked({ storage: 1, secretKey: undefined }));
  assert.doesNotThrow(checked({}));
  for (const [options, message] of [
    [{ storag: 1 }, "open has no option 'storag': did you mean 'storage'?"],
    [{ secretkey: 1 }, "open has no option 'secretkey': did you mean 'secretKey'?"],
    [{ SECRETKEY: 1 }, "open has no option 'SECRETKEY': did you mean 'secretKey'?"],
    [{ storage: 1, keySecret: undefined }, "open has no option 'keySecret', but storage, secretKey"],
    [{ toString: 1 }, "open has no option 'toString', but storage, secretKey"],
  ] as const)
    assert.throws(checked(options), { name: 'TypeError', message });
  assert.throws(checked(null as never), { name: 'TypeError', message: 'the options of open must be an object, got null' });
  assert.throws(checked('x' as never), { name: 'TypeError', message: 'the options of open must be an object, got x' });
});

/** A call with an option that is misspelt, and what is meant. `as never`: the compiler knows better. */
const misspelt: Readonly<Record<string, readonly [call: () => unknown, meant: string]>> = {
  open: [() => ManagementController.open({ storage: memoryStorage(), secretkey: 'x' } as never), 'secretKey'],
  'open, settings': [() => ManagementController.open({ storage: memoryStorage(), settings: { adress: 'x' } as never }), 'address'],
  'open, pki': [
    () => ManagementController.open({ storage: memoryStorage(), pki: { certificates: '', anchor: '', key: '' } as never }),
    'anchors',
  ],
  'open, hooks': [() => ManagementController.open({ storage: memoryStorage(), hooks: { befor: () => undefined } as never }), 'before'],
  'open, administrator': [
    () => ManagementController.open({ storage: memoryStorage(), administrator: { user: 'x', pasword: 'y' } as never }),
    "'user': did you mean 'username'",
  ],
  'open, member': [() => ManagementController.open({ storage: memoryStorage(), member: { names: 'x' } as never }), 'name'],
  networkAuthority: [() => networkAuthority({ storage: memoryStorage(), formr: 'x' } as never), 'former'],
  restoreSnapshot: [() => restoreSnapshot({ storage: memoryStorage(), snapshots: [] } as never), 'snapshot'],
  testNetwork: [() => testNetwork({ setting: {} } as never), 'settings'],
  memoryStorage: [() => memoryStorage({ namespaces: 'x' } as never), 'namespace'],
  sqliteStorage: [() => sqliteStorage({ file: ':memory:', migrates: true } as never), 'migrate'],
  postgresStorage: [() => postgresStorage({ connectionString: 'postgres://x/y', connection: 1 } as never), 'connections'],
  kyselyStorage: [() => kyselyStorage({ engine: sqlite, dB: {} } as never), 'db'],
  nodePlatform: [() => nodePlatform({ loger: console } as never), 'logger'],
  webPlatform: [() => webPlatform({ clocks: {} } as never), 'clock'],
  createClient: [() => createClient({ baseUrl: 'https://x', credential: {} } as never), 'credentials'],
  serve: [() => serve({ handler: {}, prot: 1 } as never), "'handler'"],
  'serve, limits': [() => serve({ controller: {} as never, limits: { maxConnection: 1 } as never }), 'maxConnections'],
  nodeHandler: [() => nodeHandler({} as never, { mounts: 'x' } as never), 'mount'],
  'nodeHandler, trustedProxies': [() => nodeHandler({} as never, { trustedProxies: { form: [] } as never }), 'from'],
  expressHandler: [() => expressHandler({} as never, { mounts: 'x' } as never), 'mount'],
  koaMiddleware: [() => koaMiddleware({} as never, { mounts: 'x' } as never), 'mount'],
  fastifyPlugin: [
    () => fastifyPlugin({} as never, { trustedProxy: {} } as never)({ prefix: '' } as never, {}, () => undefined),
    'trustedProxies',
  ],
  fetchHandler: [() => fetchHandler({} as never, { mounts: 'x' } as never), 'mount'],
  honoHandler: [() => honoHandler({} as never, { mounts: 'x' } as never), 'mount'],
  nextHandlers: [() => nextHandlers({} as never, { mounts: 'x' } as never), 'mount'],
};
for (const [name, [call, meant]] of Object.entries(misspelt))
  test(`${name} refuses an option that is misspelt`, async () => {
    await assert.rejects(
      async () => call(),
      (error) => {
        assert.ok(error instanceof TypeError, String(error));
        assert.ok(error.message.includes(meant), error.message);
        assert.match(error.message, / has no option '/);
        return true;
      },
    );
  });

test('a setting of another type is refused, and one that is undefined is left out', async () => {
  const opened = (settings: object) => ManagementController.open({ storage: memoryStorage(), platform: quiet, settings });
  for (const [settings, message] of [
    [{ maxBodyBytes: '1000' }, "setting maxBodyBytes must be a number, got '1000'"],
    [{ showJwksEndpoints: 'no' }, "setting showJwksEndpoints must be true or false, got 'no'"],
    [{ endSessionsOnPasswordChange: 1 }, 'setting endSessionsOnPasswordChange must be true or false, got 1'],
    [{ address: null }, 'setting address must be a text, got null'],
    [{ requestTimeoutMs: 0 }, 'setting requestTimeoutMs must be 1 or more, got 0'],
  ] as const)
    await assert.rejects(opened(settings), { name: 'TypeError', message });
  await (await opened({ maxBodyBytes: undefined, address: undefined })).close();
});

test('a call refuses options that it does not know, and a transaction that is none', async () => {
  await using network = await testNetwork();
  const { controller } = network;
  const body = { name: 'ann', type: 'User', isAdmin: false } as const;
  await assert.rejects(controller.api.identities.create({ body }, { transacton: {} } as never), {
    name: 'TypeError',
    message: "identities.create has no option 'transacton': did you mean 'transaction'?",
  });
  await assert.rejects(controller.api.identities.create({ body }, { transaction: undefined }), {
    name: 'TypeError',
    message:
      'the option transaction of identities.create must be an open transaction of the host, got undefined; without the option, the call commits on its own',
  });
  assert.throws(() => controller.as('token', { externaltoken: 'x' } as never), { name: 'TypeError' });
  for (const peerCertificates of ['pem', ['pem'], {}])
    assert.throws(() => controller.as('token', { peerCertificates } as never), { name: 'TypeError', message: /DER/ });
  assert.equal((await controller.api.identities.list({ filter: 'name = "ann"' })).data.length, 0);
  await controller.api.identities.create({ body }, {});
  await controller.api.identities.list({}, { signal: new AbortController().signal });

  const client = createClient({ baseUrl: 'https://controller.test', fetch: () => assert.fail('nothing is asked') });
  await assert.rejects(client.informational.version({}, { transaction: {} } as never), { name: 'TypeError' });
});
