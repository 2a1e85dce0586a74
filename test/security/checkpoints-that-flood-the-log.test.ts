/**
 * Old records that no checkpoint dropped made it write one after another, without an end, until they had pushed all other records out of
 * the log.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StorageAdapter, Store } from '../../src/store/storage/port.ts';
import { type App, openApp } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** A log as the first releases wrote it: its records have neither an extent nor a hash. */
const asFirstReleases = (store: Store): Promise<void> =>
  store.transaction('write', async (tx) => {
    for (const row of await tx.list('change', { where: { op: 'all' } })) {
      const { endsAt: _, oldest: _oldest, oldestBeginsAt: _begins, hash: _hash, previousHash: _previous, ...first } = row;
      await tx.delete('change', row.id);
      await tx.insert('change', first);
    }
  });

const checkpoints = async (app: App): Promise<number> =>
  (await app.rows('change')).filter(({ entity }) => entity === 'logCheckpoint').length;

// One database for two controllers, one after the other: a controller remembers the end of the log that it wrote.
for (const name of ['memory', 'sqlite'])
  describe(`checkpoints (${name})`, () => {
    test('drop the old records of the first releases, and come to an end', async () => {
      await using shared = newSharedStorage(name);
      const adapter = shared.adapter();
      let store: Store | undefined;
      const storage: StorageAdapter = { ...adapter, open: async (schema) => (store = await adapter.open(schema)) };
      {
        await using earlier = await openApp(name, { storage });
        await earlier.create('/services', { name: 'early', encryptionRequired: true });
        assert.ok(store);
        await asFirstReleases(store);
      }
      await using app = await openApp(name, { storage: shared.adapter(), settings: { changesKeptForDays: 30 } });
      for (let day = 0; day < 31; day++) app.clock.advance('1d');
      await until(async () => (await checkpoints(app)) > 0);
      await app.controller.api.services.create({ body: { name: 'late', encryptionRequired: true } });
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      assert.ok((await checkpoints(app)) <= 2, `${await checkpoints(app)} checkpoints`);
      const rows = await app.rows('change');
      assert.ok(rows.some(({ operation }) => operation === 'services.create'));
      assert.deepEqual(
        rows.filter(({ endsAt }) => typeof endsAt !== 'number'),
        [],
        'old records have left the log',
      );
      assert.equal((await app.controller.api.audit.verify()).isIntact, true);
    });
  });
