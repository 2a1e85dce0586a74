/**
 * Test frameworks replace the timers of the runtime by ones that fire only when a test says so. The library takes the real ones when it
 * loads.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManagementController, newSecretKey } from '../../adapters/node/index.ts';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { temporaryFolder } from '../examples/child.ts';

const never = () => ({ unref: () => undefined, ref: () => undefined });

/** As Vitest and Jest replace them by default, which of the times leaves only `Date.now`. */
const useFakeTimers = (t: TestContext) => {
  const faked = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'] as const;
  const real = faked.map((name) => [name, globalThis[name]] as const);
  const now = t.mock.method(performance, 'now', () => 0);
  for (const name of faked) Object.assign(globalThis, { [name]: never });
  const restore = () => {
    Object.assign(globalThis, Object.fromEntries(real));
    now.mock.restore();
  };
  t.after(restore);
  return restore;
};

for (const store of ['memory', 'sqlite'] as const)
  test(`fake timers stop neither writes, nor long lists, nor the verification of the audit, nor closing (${store})`, async (t) => {
    const storage = store === 'memory' ? memoryStorage() : sqliteStorage({ file: join(temporaryFolder(t), 'network.db') });
    const restore = useFakeTimers(t);
    const controller = await ManagementController.open({
      storage,
      secretKey: newSecretKey(),
      settings: { address: 'https://overlay.example.com' },
    });
    const { api } = controller;
    const operations = Array.from({ length: 300 }, (_, i) => ({
      operation: 'identities.create' as const,
      input: { body: { name: `device ${i}`, type: 'Device' as const, isAdmin: false, roleAttributes: [`group-${i % 7}`] } },
    }));
    await api.batch.run({ body: { operations } });
    const [created] = await Promise.all([
      api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } }),
      api.services.create({ body: { name: 'crm', encryptionRequired: false } }),
    ]);
    assert.equal((await api.identities.list({ limit: 400, filter: 'name contains "device"' })).data.length, 300);
    assert.equal((await api.audit.verify()).isIntact, true);
    restore();
    await api.identities.patch({ id: created.id, body: { name: 'bob' } });
    await controller.close();
  });
