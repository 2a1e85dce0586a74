/** A transaction that begins before another controller completes a row, and goes on afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import { has } from '../../src/query/index.ts';
import { IncompleteRows, RowIncomplete } from '../../src/store/read-cache/incomplete-rows.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import type { Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { openApp } from '../support/app.ts';
import { person } from '../support/external-logins.ts';
import { asFormerRelease } from '../support/former-release.ts';

const ANN = { where: has('externalIdKeys', 'ann@x') };

test('an earlier snapshot without what another controller has completed is not used, and nothing of it is cached', async () => {
  const storage = memoryStorage({ database: memoryDatabase() });
  await using former = await openApp('memory', { storage: asFormerRelease(storage) });
  await using other = await openApp('memory', { storage });
  const store = await storage.open(storageSchema);
  const known = await store.transaction('read', (tx) => tx.revision());
  const cache = createReadCache(1_000_000, { incomplete: new IncompleteRows(known) });
  const find = (tx: Transaction) => cache.reading(tx).list('identity', ANN);
  assert.deepEqual(await store.transaction('read', find), []);

  const id = await person(former, { externalId: 'Ann@x' });
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const earlier = store.transaction('read', (tx) => {
    const slow: Transaction = {
      ...tx,
      get host() {
        return tx.host;
      },
      revision: async () => {
        const revision = await tx.revision();
        begun.resolve();
        await resumed;
        return revision;
      },
      get: (...values) => tx.get(...values),
      list: (...values) => tx.list(...values),
      readAll: (...values) => tx.readAll(...values),
    };
    return find(slow);
  });
  await begun.promise;
  await other.request('GET', `/identities/${id}`);
  const ids = async () => (await store.transaction('read', find)).map((row) => row.id);
  assert.deepEqual(await ids(), [id]);
  resume();
  await assert.rejects(earlier, RowIncomplete);
  assert.deepEqual(await ids(), [id]);
});
