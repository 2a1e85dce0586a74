import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { ManagementController, type Settings, webPlatform } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/platform/testing.ts';
import { testNetwork } from '../../testing/index.ts';

/** What is logged when a controller is opened, and where its enrollment tokens lead clients to. */
const opened = async (settings?: Partial<Settings>) => {
  const warnings: string[] = [];
  const logger = { error: () => undefined, warn: (line: string) => void warnings.push(line), info: () => undefined };
  const platform = webPlatform({ passwords: fastPasswordHasher(), logger });
  const controller = await ManagementController.open({ storage: memoryStorage(), platform, ...(settings ? { settings } : {}) });
  const { id } = await controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } } });
  const { enrollment } = await controller.identities.get({ id });
  const [, claims = ''] = enrollment.ott?.jwt?.split('.') ?? [];
  await controller.close();
  return { warnings, iss: JSON.parse(Buffer.from(claims, 'base64url').toString()).iss };
};

test('a controller that was not told its address says so once when it is opened, and where it leads clients to', async () => {
  for (const settings of [undefined, {}, { mfaIssuer: 'example' }]) {
    const { warnings, iss } = await opened(settings);
    assert.equal(iss, 'https://127.0.0.1:1280');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^settings\.address is not set: .*https:\/\/127\.0\.0\.1:1280/);
  }
});

test('one that was says nothing', async () => {
  assert.deepEqual(await opened({ address: 'https://controller.example' }), { warnings: [], iss: 'https://controller.example' });
  assert.deepEqual((await opened({ address: 'https://127.0.0.1:1280' })).warnings, []);
});

test('a network of tests has an address, and keeps the one that it is given', async () => {
  await using network = await testNetwork({ settings: { address: 'https://controller.example' } });
  assert.equal(network.controller.settings.address, 'https://controller.example');
  await using other = await testNetwork({ settings: { enrollmentMinutes: 10 } });
  assert.equal(other.controller.settings.enrollmentMinutes, 10);
});
