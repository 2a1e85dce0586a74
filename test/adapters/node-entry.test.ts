/** The entry points that hosts on Node import as `overlay-controller` and `overlay-controller/tenants`. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import * as onNode from '../../adapters/node/index.ts';
import * as tenantsOnNode from '../../adapters/node/tenants.ts';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import * as tenants from '../../src/controller/tenants/index.ts';
import * as core from '../../src/index.ts';
import type { Platform } from '../../src/runtime/platform/platform.ts';
import { webPlatform, webRandom } from '../../src/runtime/platform/web.ts';
import { manifest, sourceOf } from '../docs/documents.ts';
import { temporaryFolder } from '../examples/child.ts';

const settings = { address: 'https://overlay.example.com' };

const platformOf = async ({ ManagementController }: typeof core, options: object = {}): Promise<Platform> => {
  const controller = await ManagementController.open({ storage: memoryStorage(), settings, ...options });
  await controller.close();
  return internalsOf(controller).core.platform;
};

/** True if salts come from the pool of Node, and none from the web's `crypto`. */
const drawsFromPool = async ({ openOverlays }: typeof tenants, t: TestContext): Promise<boolean> => {
  const storage = sqliteStorage({ file: join(temporaryFolder(t), 'overlays.db') });
  const secretKey = core.newSecretKey();
  const { mock } = t.mock.method(crypto, 'getRandomValues');
  const overlays = await openOverlays({ storage: (namespace) => storage.within(namespace), secretKey, settings });
  await overlays.create({ name: 'acme', administrator: { password: 'a-good-password' } });
  await overlays.close();
  mock.restore();
  return mock.callCount() === 0;
};

/** The JavaScript implementation lets other work run by timers; the native one runs on the thread pool, and sets none. */
const yieldsByTimers = async ({ passwords }: Platform): Promise<boolean> => {
  const ofHash = new AsyncLocalStorage<true>();
  const types = new Set<string>();
  const hook = createHook({ init: (_, type) => void (ofHash.getStore() && types.add(type)) }).enable();
  await ofHash.run(true, () => passwords.hash('secret'));
  hook.disable();
  return types.has('Timeout');
};

describe('without the option platform', () => {
  test('a controller on Node hashes passwords in native code, and the core on web standards', async () => {
    const [native, web] = [await platformOf(onNode), await platformOf(core)];
    assert.notEqual(native.random, webRandom);
    assert.equal(web.random, webRandom);
    assert.deepEqual([await yieldsByTimers(native), await yieldsByTimers(web)], [false, true]);
  });

  test('tenants on Node have the platform of Node, and those of the core that of the web', async (t) => {
    assert.deepEqual([await drawsFromPool(tenantsOnNode, t), await drawsFromPool(tenants, t)], [true, false]);
  });
});

test('a platform that is given stays', async () => {
  const { passwords } = webPlatform();
  const platform = await platformOf(onNode, { platform: webPlatform({ passwords }) });
  assert.deepEqual([platform.passwords, platform.random], [passwords, webRandom]);
});

test('options that are none are refused as by the core', async () => {
  for (const options of [undefined, null, 'x', { storage: undefined }, { storag: memoryStorage() }]) {
    const refusalOf = ({ ManagementController }: typeof core) =>
      ManagementController.open(options as unknown as core.ControllerOptions).catch((error: Error) => `${error.name}: ${error.message}`);
    assert.equal(await refusalOf(onNode), await refusalOf(core));
  }
});

test('the entry points on Node export what the core exports, by the condition node of the package', () => {
  for (const [name, node, web] of [
    ['.', onNode, core],
    ['./tenants', tenantsOnNode, tenants],
  ] as const) {
    assert.deepEqual(Object.keys(node), Object.keys(web));
    const { types, default: fallback } = manifest.exports[name];
    assert.deepEqual(Object.keys(manifest.exports[name]), ['types', 'deno', 'node', 'default'], 'the first one that applies counts');
    assert.equal(manifest.exports[name].deno, fallback, 'native code would need permissions on Deno');
    assert.equal(types.replace('.d.ts', '.js'), fallback);
    assert.match(sourceOf(name.replace('.', 'overlay-controller')), /adapters\/node\//);
  }
});
