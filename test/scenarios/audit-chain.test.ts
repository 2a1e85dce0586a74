import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identity } from '../../src/contract/api/kinds.ts';
import { changeId } from '../../src/contract/changes/events.ts';
import { hashOfRecord } from '../../src/store/changelog/chain.ts';
import type { Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const write = async (app: App, times: number) => {
  const body = () => ({ name: `s ${crypto.randomUUID()}`, encryptionRequired: true });
  for (let i = 0; i < times; i++) await app.controller.api.services.create({ body: body() });
};

onEveryStore('the hash chain of the change log', (open, store) => {
  test('each record has the hash of the one before it, and its own', async () => {
    await using app = await open();
    await write(app, 3);
    const rows = await app.rows('change');
    for (const [i, row] of rows.entries()) {
      assert.equal(row.hash, hashOfRecord(row), `record ${row.id}`);
      assert.equal(row.previousHash, rows[i - 1]?.hash ?? null);
    }
    const { isIntact, records, unhashed, chainedFrom, next, newest } = await app.controller.api.audit.verify();
    assert.deepEqual([isIntact, records, unhashed, chainedFrom, next], [true, rows.length, 0, 1, null]);
    const head = await app.controller.api.audit.head();
    assert.deepEqual([head.revision, head.hash], [newest, rows.at(-1)?.hash]);
  });

  test('writers at once, and a write that fails among them, leave one chain', async () => {
    await using app = await open();
    await app.create('/services', { name: 'taken', encryptionRequired: true });
    const names = Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? 'taken' : `s${i}`));
    const done = await Promise.allSettled(
      names.map((name) => app.controller.api.services.create({ body: { name, encryptionRequired: true } })),
    );
    assert.equal(done.filter(({ status }) => status === 'rejected').length, 8);
    assert.equal((await app.controller.api.audit.verify()).isIntact, true);
  });

  test('three controllers that write to one database at once leave one chain', async () => {
    const shared = newSharedStorage(store);
    const openOne = () => open({ storage: shared.adapter() });
    await using one = await openOne();
    await using two = await openOne();
    await using three = await openOne();
    const apps = [one, two, three];
    await Promise.all(Array.from({ length: 24 }, (_, i) => write(apps[i % 3] ?? one, 2)));
    assert.equal((await two.controller.api.audit.verify()).isIntact, true);
  });

  test('a chain that retention has cut is intact, and names a record that is missing at its beginning', async () => {
    await using app = await open({ settings: { changesKept: 20 } });
    await write(app, 60);
    const whole = await app.controller.api.audit.verify();
    assert.deepEqual([whole.isIntact, whole.records], [true, 20]);
    const oldest = whole.oldest ?? 0;
    await app.tamper(async (tx) => void (await tx.delete('change', changeId(oldest))));
    const { fault } = await app.controller.api.audit.verify();
    assert.deepEqual([fault?.fault, fault?.revision], ['removed', oldest]);
  });

  const attacks: readonly (readonly [string, 'changed' | 'removed' | 'inserted', (tx: Transaction, id: string) => Promise<void>])[] = [
    ['another actor', 'changed', async (tx, id) => alter(tx, id, { actor: 'nobody' })],
    ['another time', 'changed', async (tx, id) => alter(tx, id, { createdAt: '2020-01-01T00:00:00.000Z' })],
    ['another hash of the record before', 'changed', async (tx, id) => alter(tx, id, { previousHash: 'f'.repeat(64) })],
    ['no hash', 'changed', async (tx, id) => alter(tx, id, { hash: undefined })],
    ['a further field', 'changed', async (tx, id) => alter(tx, id, { note: 1 })],
    ['another extent', 'changed', async (tx, id) => alter(tx, id, { oldest: 0 })],
    [
      'another reason and a hash that fits',
      'changed',
      async (tx, id) => {
        const row = await tx.get('change', id);
        assert.ok(row);
        const forged = { ...row, reason: 'forged' };
        await tx.update('change', { ...forged, hash: hashOfRecord(forged) }, row.version);
      },
    ],
    ['nothing left of it', 'removed', async (tx, id) => void (await tx.delete('change', id))],
    [
      'a record after it',
      'inserted',
      async (tx, id) => {
        const row = await tx.get('change', id);
        assert.ok(row);
        await tx.insert('change', { ...row, id: `${id}x` });
      },
    ],
  ];
  const alter = async (tx: Transaction, id: string, fields: Readonly<Record<string, unknown>>) => {
    const row = await tx.get('change', id);
    assert.ok(row);
    await tx.update('change', { ...row, ...fields }, row.version);
  };

  for (const [what, expected, attack] of attacks)
    test(`a record with ${what} is named`, async () => {
      await using app = await open();
      await write(app, 5);
      const { revision } = await app.controller.api.audit.head();
      await app.tamper((tx) => attack(tx, changeId(revision - 2)));
      const { isIntact, fault } = await app.controller.api.audit.verify();
      assert.equal(isIntact, false);
      assert.deepEqual([fault?.fault, fault?.revision], [expected, revision - 2]);
    });

  test('records that are missing at the end are named, and a head that was kept shows a log that was rewritten', async () => {
    await using app = await open();
    await write(app, 4);
    const head = await app.controller.api.audit.head();
    const kept = { revision: head.revision, hash: head.hash };
    assert.equal((await app.controller.api.audit.verify(kept)).isIntact, true);
    const other = await app.controller.api.audit.verify({ ...kept, hash: '0'.repeat(64) });
    assert.deepEqual([other.fault?.fault, other.fault?.revision], ['changed', head.revision]);
    await app.alter('change', changeId(head.revision), { hash: undefined, previousHash: undefined });
    const bare = await app.controller.api.audit.verify();
    assert.deepEqual([bare.fault?.fault, bare.fault?.revision], ['changed', head.revision]);
    await app.tamper(async (tx) => void (await tx.delete('change', changeId(head.revision))));
    const { fault } = await app.controller.api.audit.verify();
    assert.deepEqual([fault?.fault, fault?.revision], ['removed', head.revision]);
  });

  test('the records of an earlier release are counted, and the next one continues from their last', async () => {
    const shared = newSharedStorage(store);
    const storage = shared.adapter();
    const secretKey = storage.secretKey ?? SECRET_KEY;
    await using before = await open({ storage, secretKey });
    await write(before, 3);
    const { revision } = await before.controller.api.audit.head();
    const raw = await shared.adapter().open(storageSchema);
    await raw.transaction('write', async (tx) => {
      for (let i = 1; i <= revision; i++) await alter(tx, changeId(i), { hash: undefined, previousHash: undefined });
    });
    await using app = await open({ storage: shared.adapter(), secretKey });
    await write(app, 3);
    const { isIntact, unhashed, chainedFrom } = await app.controller.api.audit.verify();
    assert.deepEqual([isIntact, unhashed, chainedFrom], [true, revision, revision + 1]);
    await app.alter('change', changeId(revision), { actor: 'nobody' });
    const { fault } = await app.controller.api.audit.verify();
    assert.deepEqual([fault?.fault, fault?.revision], ['changed', revision]);
  });
});

onEveryStore('records that are kept for some days', (open) => {
  test('older ones are dropped in one run, however many they are', async () => {
    await using app = await open({ settings: { changesKeptForDays: 2 } });
    const { id } = await app.user();
    await app.inStore('write', async (entities) => {
      for (let i = 0; i < 1100; i++)
        await entities.update(identity, await entities.require(identity, id), { envInfo: { arch: String(i) } });
    });
    const { revision } = await app.controller.api.audit.head();
    app.clock.advance('49h');
    await until(async () => ((await app.controller.api.audit.verify()).oldest ?? 0) > revision);
    assert.equal((await app.controller.api.audit.verify()).isIntact, true);
  });

  test('a record that is as old as they are kept stays', async () => {
    await using app = await open({ settings: { changesKeptForDays: 2 } });
    await write(app, 5);
    app.clock.advance('1h');
    await app.settled();
    const { revision } = await app.controller.api.audit.head();
    await write(app, 5);
    app.clock.advance('48h');
    await until(async () => ((await app.controller.api.audit.verify()).oldest ?? 0) > 1);
    assert.deepEqual(
      (await app.controller.api.audit.list({ order: 'oldest', limit: 1 })).data.map((record) => record.revision),
      [revision + 1],
    );
  });

  test('older ones are dropped, and checkpoints prove where the log begins', async () => {
    await using app = await open({ settings: { changesKeptForDays: 2 } });
    await write(app, 30);
    app.clock.advance('1d');
    await write(app, 5);
    const { revision: kept } = await app.controller.api.audit.head();
    assert.equal((await app.controller.api.audit.verify()).oldest, 1);
    app.clock.advance('26h');
    await until(async () => ((await app.controller.api.audit.verify()).oldest ?? 0) > 30);
    const { isIntact, oldest } = await app.controller.api.audit.verify();
    assert.deepEqual([isIntact, (oldest ?? 0) > kept - 5 - 1], [true, true]);
    const { data } = await app.controller.api.audit.list({ kind: 'logCheckpoint' });
    const [checkpoint] = data;
    assert.ok(checkpoint);
    // Somebody who has only the database rewrites the record before it, with all hashes that follow.
    await app.tamper(async (tx) => {
      let previousHash: unknown;
      const { revision: newest } = checkpoint;
      for (let revision = newest - 1; revision <= newest; revision++) {
        const row = await tx.get('change', changeId(revision));
        assert.ok(row);
        const forged = { ...row, ...(revision === newest ? { previousHash } : { actor: 'nobody' }) };
        previousHash = hashOfRecord(forged);
        await tx.update('change', { ...forged, hash: previousHash }, row.version);
      }
    });
    const { fault } = await app.controller.api.audit.verify();
    assert.deepEqual([fault?.fault, fault?.revision], ['changed', checkpoint.revision - 1]);
  });
});
