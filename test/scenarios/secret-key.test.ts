import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { ManagementController, newSecretKey } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';

const platform = webPlatform({ passwords: fastPasswordHasher() });
/** @returns the number of identities */
const opened = async (storage: Parameters<typeof ManagementController.open>[0]['storage'], secretKey?: string | readonly string[]) => {
  const controller = await ManagementController.open({
    storage,
    platform,
    settings: { address: 'https://127.0.0.1:1280' },
    ...(secretKey === undefined ? {} : { secretKey }),
  });
  try {
    return (await controller.api.identities.list()).pagination.totalCount;
  } finally {
    await controller.close();
  }
};

test('a store that outlives the process is opened with a secret key, and from then on with that one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-controller-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const storage = () => sqliteStorage({ file: join(folder, 'controller.db') });
  await assert.rejects(opened(storage()), { name: 'TypeError', message: /secretKey is required/ });
  await assert.rejects(opened(storage(), 'too short'), { name: 'TypeError', message: /32 random bytes/ });
  const [key, other] = [newSecretKey(), newSecretKey()];
  await opened(storage(), key);
  await opened(storage(), key);
  await assert.rejects(opened(storage(), other), { name: 'TypeError', message: /a different secretKey/ });
  await opened(storage(), [other, key]);
});

test('a store in memory has a key of its own, for as long as its data', async () => {
  const storage = memoryStorage();
  const identities = await opened(storage);
  assert.equal(await opened(storage), identities);
});
