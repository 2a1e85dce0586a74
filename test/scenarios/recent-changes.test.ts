/** Recent changes in memory: each is read from the log once, and a gap in the log is noticed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import { ALL } from '../../src/query/index.ts';
import type { Entities } from '../../src/store/entities/entities.ts';
import { createRecentChanges } from '../../src/store/entities/recent.ts';
import { openApp } from '../support/app.ts';
import { newSharedStorage, notOnPostgres, stores } from '../support/stores.ts';

const START = '2000-01-01T00:00:00.000Z';

for (const name of stores) {
  const ground = async () => {
    const shared = newSharedStorage(name);
    const app = await openApp(name, { storage: shared.adapter() });
    const id = await app.create('/services', { name: 's', encryptionRequired: true });
    const recent = createRecentChanges(['service'], START);
    const read = <T>(work: (entities: Entities) => Promise<T>) => app.inStore('read', work);
    const catchUp = () => read((entities) => recent.catchUp(entities));
    const touch = (times: number) =>
      app.inStore('write', async (entities) => {
        for (let i = 0; i < times; i++) await entities.update(service, await entities.require(service, id), { maxIdleTimeMillis: i });
      });
    return {
      app,
      id,
      recent,
      read,
      catchUp,
      touch,
      [Symbol.asyncDispose]: async () => {
        await app.close();
        await shared[Symbol.asyncDispose]();
      },
    };
  };

  test(`recent changes: those of the given kinds, in order, each once (${name})`, async () => {
    await using all = await ground();
    const { app, id, catchUp, touch } = all;
    const begun = await catchUp();
    assert.deepEqual([begun.changes.length, begun.isCurrent, begun.sinceRevision], [0, true, begun.revision]);
    await touch(2);
    await app.create('/edge-routers', { name: 'r' });
    await touch(1);
    await catchUp();
    const { changes, isCurrent, revision } = await catchUp();
    assert.deepEqual([changes.map(({ entityId }) => entityId), isCurrent], [[id, id, id], true]);
    assert.equal(changes.at(-1)?.revision, revision);
    assert.deepEqual(
      changes.map((change) => change.revision),
      changes.map((change) => change.revision).toSorted((a, b) => a - b),
    );
  });

  test(`recent changes: a transaction with an older snapshot than others have read learns that it is not current (${name})`, async () => {
    await using all = await ground();
    const { recent, read, catchUp, touch } = all;
    await catchUp();
    const { early, late } = await read(async (entities) => {
      await entities.count(service, ALL); // the snapshot begins with the first read
      await touch(1);
      const late = await catchUp();
      return { late, early: await recent.catchUp(entities) };
    });
    assert.deepEqual([late.isCurrent, late.changes.length], [true, 1]);
    assert.equal(early.isCurrent, false);
    assert.equal((await catchUp()).isCurrent, true);
  });

  test(`recent changes: a reader more than 2,500 behind starts over, and says since when (${name})`, notOnPostgres(name), async () => {
    await using all = await ground();
    const { app, catchUp, touch } = all;
    await catchUp();
    await touch(2400);
    const near = await catchUp();
    // The older half is dropped whenever there are more than a thousand.
    assert.deepEqual(
      [near.changes.length > 400 && near.changes.length <= 1000, near.sinceRevision],
      [true, (near.changes[0]?.revision ?? 0) - 1],
    );
    app.clock.advance('1m');
    await touch(2600);
    const far = await catchUp();
    assert.deepEqual([far.changes.length, far.isCurrent, far.sinceRevision], [0, true, far.revision]);
    assert.equal(far.since > near.since, true);
  });

  test(`recent changes: those that were cut off the log before they were read count as missed (${name})`, async () => {
    await using all = await ground();
    const { app, catchUp, touch } = all;
    await catchUp();
    await touch(20);
    app.clock.advance('1m');
    await app.tamper(async (tx) => {
      const rows = await tx.list('change', { where: { op: 'all' } });
      for (const row of rows.slice(0, -5)) await tx.delete('change', row.id);
    });
    const { changes, sinceRevision, revision, isCurrent } = await catchUp();
    assert.deepEqual([changes.length, sinceRevision, isCurrent], [0, revision, true]);
  });
}
