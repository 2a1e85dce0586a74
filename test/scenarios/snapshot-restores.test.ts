import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { restoreSnapshot, SnapshotRefused } from '../../src/index.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { integrityRun } from '../support/integrity.ts';
import { everything, fill, snapshotOf } from '../support/snapshots.ts';
import { newSharedStorage, newStorage, stores } from '../support/stores.ts';

const refusal = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SnapshotRefused, String(error));
  assert.match(error.message, why);
  return true;
};

onEveryStore('restores of snapshots', (open, store) => {
  for (const to of stores) {
    test(`all that was there is there after a restore into ${to}, and continues from its revision`, async () => {
      await using app = await open();
      const { user, token } = await fill(app);
      const before = await everything(app);
      const snapshot = await snapshotOf(app);

      await using shared = newSharedStorage(to);
      const restored = await restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] });
      assert.equal(restored.rows, Object.values(before).flat().length);
      assert.equal(restored.revision, before.change?.length);
      await using again = await openApp(to, { storage: shared.adapter() });
      assert.equal(again.controller.firstAdministrator, undefined, 'the network has its administrator');
      // The administrator's login of `openApp` is new.
      const { apiSession: _, change: __, ...rest } = await everything(again);
      const { apiSession: ___, change: ____, ...expected } = before;
      assert.deepEqual(rest, expected);
      const { apiSession, change } = await everything(again);
      assert.deepEqual(change?.slice(0, before.change?.length), before.change);
      assert.deepEqual(
        before.apiSession?.filter(({ id }) => !apiSession?.some((session) => session.id === id)),
        [],
      );
      assert.equal(change?.at(-1)?.revision, restored.revision + 1);

      assert.equal((await again.request('GET', '/current-identity', { as: token })).body.data.id, user.id);
      assert.equal((await again.login(user.username, PASSWORD)).status, 200);
      assert.deepEqual((await integrityRun(again, 'check')).results, []);
    });
  }

  test('a restored snapshot gives the same snapshot', async () => {
    await using app = await open();
    await fill(app);
    const first = await snapshotOf(app);
    await using shared = newSharedStorage(store);
    await restoreSnapshot({ storage: shared.adapter(), snapshot: [first] });
    await using again = await openApp(store, { storage: shared.adapter() });
    const second = await snapshotOf(again);
    // The session of the second app, and its two changes, are new; so are head and end.
    const lines = (text: string) => text.trimEnd().split('\n').slice(1, -1);
    const missing = lines(first).filter((line) => !lines(second).includes(line));
    assert.deepEqual(missing, []);
    assert.equal(lines(second).length, lines(first).length + 2);
  });

  test('a store that has rows of one kind only, whichever it is, is not empty', async () => {
    await using app = await open();
    const snapshot = await snapshotOf(app);
    for (const { kind } of [storageSchema[0], storageSchema.at(-1)].filter((kind) => kind !== undefined)) {
      await using shared = newSharedStorage(store);
      const other = await shared.adapter().open(storageSchema);
      const row = { id: 'a', version: 1, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
      await other.transaction('write', (tx) => tx.insert(kind, row));
      await assert.rejects(
        restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] }),
        refusal(new RegExp(`has rows of ${kind}:`)),
      );
      await other.close();
    }
  });

  test('a store that is not empty is left as it is', async () => {
    await using app = await open();
    const snapshot = await snapshotOf(app);
    await using shared = newSharedStorage(store);
    await using other = await openApp(store, { storage: shared.adapter() });
    const before = await everything(other);
    await assert.rejects(restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshot] }), refusal(/empty store only/));
    assert.deepEqual(await everything(other), before);
  });
});

test('a snapshot that is cut short or changed anywhere is refused, and nothing of it is kept', async () => {
  await using app = await openApp('memory');
  await fill(app);
  const bytes = Buffer.from(await snapshotOf(app));
  const damaged = fc.oneof(
    fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
    fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ by;
      return copy;
    }),
    fc.constant(Buffer.concat([bytes, Buffer.from('{}\n')])),
    fc.constant(Buffer.from('')),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async (snapshot) => {
      const storage = newStorage('memory');
      // In parts that end anywhere, as a stream gives them.
      const parts = [snapshot.subarray(0, 1000), snapshot.subarray(1000, 1001), snapshot.subarray(1001)];
      await assert.rejects(restoreSnapshot({ storage, snapshot: parts }), refusal(/./));
      assert.ok((await restoreSnapshot({ storage, snapshot: [bytes] })).rows > 0, 'the store is still empty');
    }),
    { numRuns: 60 },
  );
});

test('of two networks in one database a snapshot holds one', async () => {
  const storage = sqliteStorage({ file: ':memory:' });
  await using first = await openApp('sqlite', { storage: storage.within('one') });
  await using second = await openApp('sqlite', { storage: storage.within('two') });
  await second.user({ name: 'somebody of the other network' });
  assert.ok(!(await snapshotOf(first)).includes('somebody of the other network'));
});

test('a text that is not a snapshot of this version is refused with what to do', async () => {
  const refuse = (text: string, why: RegExp) =>
    assert.rejects(restoreSnapshot({ storage: newStorage('memory'), snapshot: [text] }), refusal(why));
  await refuse('hello\n', /line 1: it is not JSON/);
  await refuse('{"a":1}\n', /line 1: this is not the header of a snapshot/);
  await refuse('{"snapshot":"overlay-controller","format":99,"revision":0}\n', /format 99.*newer/);
  const takenAt = '2026-01-01T00:00:00.000Z';
  const head = `${JSON.stringify({ snapshot: 'overlay-controller', format: 1, id: 'a', takenAt, software: 'overlay-controller', revision: 0 })}\n`;
  await refuse(
    `${head}{"kind":"spaceship","row":{"id":"a","version":1,"createdAt":"","updatedAt":""}}\n`,
    /line 2: .*knows no "spaceship"/,
  );
  await refuse(`${head}{"kind":"identity","row":{"id":5}}\n`, /line 2: id must be of type string/);
});
