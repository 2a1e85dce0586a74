import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Migration, migrations as own } from '../../../adapters/storage/kysely/index.ts';
import { StoreBusy, StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import { openApp } from '../../support/app.ts';
import { assertRefused } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';
import { places } from './places.ts';
import { migrationsThrough, note, noteSchema } from './support.ts';

const ofNewerRelease = (version: number, ...steps: Migration['steps']): Migration => ({ version, name: 'of-a-newer-release', steps });
/** What a release must not do while the one before uses it: the fence is for those that do. */
const ofNotes = ofNewerRelease(2, { do: 'dropColumn', kind: 'note', column: { name: 'rank', type: 'number', index: false } });
const ofRouters = ofNewerRelease(own.length + 1, { do: 'dropSet', kind: 'router', set: 'serverNames' });

for (const { engine, newPlace, skip } of places) {
  describe(`a newer release on one ${engine} database that drops what an older one uses`, { skip }, () => {
    test('an older process that runs on reads, writes no more, and says so', async () => {
      await using place = await newPlace();
      const collector = newCollector();
      await using app = await openApp(engine, { storage: place.storage(), platform: { logger: collector.logger } });
      assert.deepEqual(await app.controller.health(), { isHealthy: true, store: 'ready', reasons: [] });
      await place.storage({ migrations: [...own, ofRouters] }).migrate();
      const before = await app.count('identity');
      for (let i = 0; i < 3; i++) {
        const refused = await app.request('POST', '/identities', { body: { name: `ann ${i}`, type: 'User', isAdmin: false } });
        assertRefused(refused, 503, 'SERVER_UNAVAILABLE');
        assert.match(refused.body.error.cause.message, /older than its database/);
      }
      assert.equal(await app.count('identity'), before);
      assert.equal((await app.request('GET', '/identities')).status, 200);
      assert.equal(collector.errors.filter((line) => line.includes('refuses every write')).length, 1, 'said once, not with every call');
      const { isHealthy, store, reasons } = await app.controller.health();
      assert.deepEqual(
        [isHealthy, store, reasons.map(({ concerns, severity }) => [concerns, severity])],
        [false, 'superseded', [['migrations', 'error']]],
      );
    });

    test("so does its part in a host's transaction", async () => {
      await using place = await newPlace();
      const storage = place.storage({ migrations: migrationsThrough(noteSchema) });
      const store = await storage.open(noteSchema);
      await place.storage({ migrations: [...migrationsThrough(noteSchema), ofNotes] }).migrate();
      await assert.rejects(
        storage.db.transaction().execute((host) => store.join(host).insert('note', note('a'))),
        StoreSchemaMismatch,
      );
      await assert.rejects(
        store.transaction('write', async () => assert.fail('it must not begin')),
        StoreSchemaMismatch,
      );
      await store.close();
    });

    test('a write that has begun is in the database before it is migrated, and one that begins meanwhile finds it as it was or is refused', async () => {
      await using place = await newPlace();
      const migrations = migrationsThrough(noteSchema);
      const open = () =>
        place.storage({ migrations, lockTimeout: 60_000, statementTimeout: 60_000, pauseTimeout: 60_000 }).open(noteSchema);
      const [one, two] = [await open(), await open()];
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const before = one.transaction('write', async (tx) => {
        begin();
        await over;
        await tx.insert('note', note('before'));
      });
      await begun;
      let isMigrated = false;
      const migrating = place
        .storage({ migrations: [...migrations, ofNotes] })
        .migrate()
        .then(() => (isMigrated = true));
      await until(turns(100));
      const meanwhile = two
        .transaction('write', (tx) => tx.insert('note', note('meanwhile')))
        .then(
          () => 'written',
          (error: unknown) => error,
        );
      await until(turns(100));
      assert.equal(isMigrated, false, 'the migration waits for the writer');
      end();
      await before;
      await migrating;
      const ids = async () => (await two.transaction('read', (tx) => tx.list('note', { where: { op: 'all' } }))).map(({ id }) => id);
      const found = await ids();
      const outcome = await meanwhile;
      assert.ok(outcome === 'written' || outcome instanceof StoreSchemaMismatch, String(outcome));
      // What is there when the migration is over is all that will ever be.
      assert.deepEqual(found, outcome === 'written' ? ['before', 'meanwhile'] : ['before']);
      for (const store of [one, two])
        await assert.rejects(
          store.transaction('write', (tx) => tx.insert('note', note('after'))),
          StoreSchemaMismatch,
        );
      assert.deepEqual(await ids(), found);
      await Promise.all([one.close(), two.close()]);
    });

    test('a process that opens while another migrates waits for as long as a migration may take, and no longer', async () => {
      await using place = await newPlace();
      const migrations = migrationsThrough(noteSchema);
      const first = place.storage({ migrations });
      const opened = await first.open(noteSchema);
      const adding = ofNewerRelease(2, { do: 'addKind', kind: { kind: 'novelty', columns: [], sets: [] } });
      const next = { migrations: [...migrations, adding], lockTimeout: 20 };
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      // A writer that holds what a migration needs.
      const holding = opened.transaction('write', async (tx) => {
        await tx.insert('note', note('a'));
        begin();
        await over;
      });
      await begun;
      await assert.rejects(place.storage({ ...next, migrationTimeout: 60 }).open(noteSchema), StoreBusy);
      const waiting = [1, 2, 3].map(() => place.storage({ ...next, migrationTimeout: 60_000 }).open(noteSchema));
      const settled = Promise.allSettled(waiting);
      await until(turns(100));
      end();
      await holding;
      for (const result of await settled) assert.equal(result.status, 'fulfilled', JSON.stringify(result));
      for (const store of await Promise.all(waiting)) await store.close();
      await opened.close();
    });
  });
}

/** True after so many turns of the event loop: longer than `lockTimeout`. */
const turns = (count: number) => () => count-- === 0;

const newCollector = () => {
  const errors: string[] = [];
  const ignore = () => undefined;
  return { errors, logger: { error: (message: string) => void errors.push(message), warn: ignore, info: ignore } };
};
