/**
 * A log that was deleted as a whole verified as intact, also with a head that was kept; a record without its document ended the
 * verification with an error.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { changeId } from '../../src/contract/changes/events.ts';
import type { Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

const write = async (app: App, ...names: readonly string[]) => {
  for (const name of names) await app.controller.api.services.create({ body: { name, encryptionRequired: true } });
};

onEveryStore('a log that was emptied', (open, store) => {
  /** Opens a controller on the same database as another one, and reaches the database without a controller. */
  const shared = () => {
    const storage = newSharedStorage(store);
    const openOne = (settings = {}) => {
      const adapter = storage.adapter();
      return open({ storage: adapter, secretKey: adapter.secretKey ?? SECRET_KEY, settings });
    };
    const raw = async (work: (tx: Transaction) => Promise<void>) => {
      const opened = await storage.adapter().open(storageSchema);
      await opened.transaction('write', work);
      await opened.close();
    };
    return { storage, openOne, raw };
  };
  const empty = async (tx: Transaction) => {
    for (const { id } of await tx.list('change', { where: { op: 'all' } })) await tx.delete('change', id);
  };

  test('is not intact after the next write, with and without a head that was kept', async () => {
    const { storage, openOne, raw } = shared();
    await using _ = storage;
    const before = await openOne();
    await write(before, 'a', 'b');
    const { revision, hash } = await before.controller.api.audit.head();
    await before.close();
    await raw(empty);
    await using app = await openOne();
    await write(app, 'c');
    const { isIntact, fault } = await app.controller.api.audit.verify();
    assert.deepEqual([isIntact, fault?.fault, fault?.revision], [false, 'removed', revision]);
    assert.equal((await app.controller.api.audit.verify({ revision, hash })).isIntact, false);
  });

  test('is not intact to one who kept a head, when retention has dropped the first record that followed', async () => {
    const { storage, openOne, raw } = shared();
    await using _ = storage;
    const before = await openOne({ changesKept: 5 });
    await write(before, 'a', 'b', 'c', 'd', 'e', 'f');
    const { revision, hash } = await before.controller.api.audit.head();
    await before.close();
    await raw(empty);
    await using app = await openOne({ changesKept: 5 });
    await write(app, '1', '2', '3', '4', '5', '6', '7');
    const { fault } = await app.controller.api.audit.verify({ revision, hash });
    assert.deepEqual([fault?.fault, fault?.revision], ['removed', revision]);
  });

  test('is intact if retention has cut it', async () => {
    await using app = await open({ settings: { changesKept: 4 } });
    await write(app, 'a', 'b', 'c', 'd', 'e', 'f');
    const { revision, hash } = await app.controller.api.audit.head();
    await write(app, 'g');
    assert.equal((await app.controller.api.audit.verify({ revision, hash })).fault, null);
  });

  for (const [form, id] of [
    ['another form', (revision: number) => `${changeId(revision)}x`],
    ['a form that sorts first', () => '!'],
    ['a form that sorts last', () => 'x'],
    ['a sign', () => '00000000000000-1'],
  ] as const)
    test(`a record that was inserted with an id of ${form} is named as inserted`, async () => {
      await using app = await open();
      await write(app, 'a', 'b', 'c');
      const { revision } = await app.controller.api.audit.head();
      await app.tamper(async (tx) => {
        const row = await tx.get('change', changeId(revision - 1));
        assert.ok(row);
        await tx.insert('change', { ...row, id: id(revision) });
      });
      const { fault } = await app.controller.api.audit.verify();
      assert.deepEqual([fault?.fault, fault?.revision], ['inserted', revision - 1]);
    });
});

describe('a record whose document is damaged (sqlite)', () => {
  const damages: readonly (readonly [string, string])[] = [
    ['null', "update overlay_change__document set document = 'null'"],
    ['a text', `update overlay_change__document set document = '"x"'`],
    ['an empty object', "update overlay_change__document set document = '{}'"],
    ['a list', "update overlay_change__document set document = '[]'"],
    ['cut', 'update overlay_change__document set document = substr(document, 1, 9)'],
    ['missing', 'delete from overlay_change__document'],
  ];
  for (const [what, damage] of damages)
    for (const back of [0, 2])
      test(`${what}: the verification names its revision, ${back} records before the last`, async () => {
        const storage = sqliteStorage({ file: ':memory:' });
        await using app = await openApp('sqlite', { storage });
        await write(app, 'a', 'b', 'c');
        const { revision, hash } = await app.controller.api.audit.head();
        const id = changeId(revision - back);
        storage.connection.exec(`pragma foreign_keys = off; ${damage} where id = (select document from overlay_change where id = '${id}')`);
        for (const question of [{}, { from: revision - back }, { revision, hash }]) {
          const { isIntact, fault } = await app.controller.api.audit.verify(question);
          assert.deepEqual([isIntact, fault?.fault, fault?.revision], [false, 'changed', revision - back]);
        }
      });
});
