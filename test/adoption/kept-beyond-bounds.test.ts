import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreSnapshot } from '../../src/index.ts';
import { openAdopted } from '../support/adopted.ts';
import { openApp, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

/** As the former controller takes it, and this one does not. */
const LONG = 'n'.repeat(3000);

const seeds = {
  identities: [
    { id: 'ann', name: LONG, roleAttributes: ['r'.repeat(2500)], tags: { cost: 12.5, team: 'a' } },
    { id: 'al', name: 'al' },
  ],
  authenticators: [
    {
      id: 'a',
      method: 'updb',
      identity: 'al',
      updbUsername: 'albert',
      updbSalt: 'MDEyMzQ1Njc4OQ==',
      updbPassword: 'bm90IHRoZSB0YWcgb2YgYW55IHBhc3N3b3JkISEhISE=',
    },
  ],
  services: [{ id: 's', name: LONG, tags: { n: 1 }, edge: { encryptionRequired: true, roleAttributes: [], configs: [] } }],
} as const;

test('long names and numbers in tags stay, and can be sent back as they were read', async () => {
  await using adopted = await openAdopted('sqlite', seeds, { open: { settings: { numericTags: true } } });
  const { app } = adopted;
  assert.equal(adopted.report.hasNumericTags, true);
  const { identities, services } = app.controller.api;
  for (const id of ['ann', 'al']) {
    const before = await identities.get({ id });
    await identities.replace({ id, body: { ...before, type: 'Default' } });
    assert.deepEqual({ ...(await identities.get({ id })), updatedAt: '' }, { ...before, updatedAt: '' });
  }
  const before = await services.get({ id: 's' });
  await services.replace({ id: 's', body: before });
  assert.deepEqual({ ...(await services.get({ id: 's' })), updatedAt: '' }, { ...before, updatedAt: '' });
});

test('a snapshot of an adopted network is restored with all that stayed', async () => {
  await using adopted = await openAdopted('sqlite', seeds);
  const { app } = adopted;
  await app.controller.api.database.createSnapshot();
  const snapshot = [...app.snapshots.values()][0] ?? '';
  await using shared = newSharedStorage('sqlite');
  await restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot], secretKey: SECRET_KEY });
  await using restored = await openApp('sqlite', { storage: shared.adapter() });
  assert.equal((await restored.controller.api.identities.get({ id: 'ann' })).name, LONG);
  assert.equal((await restored.controller.api.authenticators.get({ id: 'a' })).username, 'albert');
});
