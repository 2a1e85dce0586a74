import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import {
  exportMigrations,
  migrations,
  nextContraction,
  schemaAfter,
  sqlite,
  sqliteStorage,
} from '../../../adapters/storage/kysely/index.ts';
import { kindsThatDiffer } from '../../../adapters/storage/kysely/migration.ts';
import { StorageError, StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { assertFilled, folder, idsWhere, later, migrationsThrough, note, noteSchema, notes } from './support.ts';

const mismatch = (pattern: RegExp) => (error: unknown) => error instanceof StoreSchemaMismatch && pattern.test(error.message);
describe('migrations of the SQL store', () => {
  test('the recorded migrations add up to the storage schema (otherwise run scripts/migration.ts)', () => {
    const recorded = schemaAfter(migrations);
    assert.deepEqual(kindsThatDiffer(recorded, storageSchema), []);
    assert.deepEqual(kindsThatDiffer(storageSchema, recorded), []);
  });

  test('the list of migrations names every file of the folder, in order', async () => {
    const files = await readdir(new URL('../../../adapters/storage/kysely/migrations/', import.meta.url));
    const versions = files.flatMap((file) => /^(\d{4})-/.exec(file)?.[1] ?? []).sort();
    assert.deepEqual(
      migrations.map((migration) => migration.version),
      versions.map(Number),
    );
  });

  test('the recorded migrations run, and make a store of every kind', async () => {
    const store = await sqliteStorage({ file: ':memory:' }).open(storageSchema);
    for (const { kind } of storageSchema) assert.equal(await store.transaction('read', (tx) => tx.count(kind, { op: 'all' })), 0);
    await store.close();
  });

  test('what a migration adds is filled from the documents, and what it drops is gone', async () => {
    await using place = await folder();
    await assertFilled((...schemas) => notes({ ...place, migrations: migrationsThrough(...schemas) }).open(schemas.at(-1) ?? []));
  });

  test('an empty, an older and a newer database are refused with what to do', async () => {
    await using place = await folder();
    const older = migrationsThrough(noteSchema);
    const newer = migrationsThrough(noteSchema, later);
    await assert.rejects(notes({ ...place, migrate: false }).open(noteSchema), mismatch(/no tables yet.*migrate\(\)/));
    await (await notes({ ...place, migrations: older }).open(noteSchema)).close();
    await assert.rejects(
      notes({ ...place, migrations: newer, migrate: false }).open(later),
      mismatch(/version 1, and version 2 is required.*migrate\(\)/),
    );
    const storage = notes({ ...place, migrations: newer, migrate: false });
    await storage.migrate();
    await (await storage.open(later)).close();
    const dropping = nextContraction(newer, 'drop-what-was-retired');
    assert.ok(dropping);
    await notes({ ...place, migrations: [...newer, dropping] }).migrate();
    await assert.rejects(notes({ ...place, migrations: older }).open(noteSchema), mismatch(/version 3.*up to 1.*newer/));
  });

  test('kinds that no migration makes tables for are refused by name', async () => {
    await assert.rejects(notes({ file: ':memory:' }).open(later), mismatch(/note, folder/));
  });

  test('a migration that fails leaves the database as it was', async () => {
    await using place = await folder();
    const store = await notes(place).open(noteSchema);
    await store.transaction('write', async (tx) => {
      for (const id of ['a', 'b']) await tx.insert('note', note(id, { badge: 7 }));
    });
    await store.close();
    const [kind] = noteSchema;
    assert.ok(kind);
    const unique: StorageSchema = [{ ...kind, columns: [...kind.columns, { name: 'badge', type: 'number', index: 'unique' }] }];
    await assert.rejects(notes({ ...place, migrations: migrationsThrough(noteSchema, unique) }).open(unique), StorageError);
    const again = await notes(place).open(noteSchema);
    assert.deepEqual(await idsWhere(again), ['a', 'b']);
    await again.close();
  });

  test('two processes that open an empty database at once migrate it once', async () => {
    await using place = await folder();
    const stores = await Promise.all([notes(place).open(noteSchema), notes(place).open(noteSchema), notes(place).open(noteSchema)]);
    await stores[0]?.transaction('write', (tx) => tx.insert('note', note('a')));
    for (const store of stores) {
      assert.deepEqual(await idsWhere(store), ['a']);
      await store.close();
    }
  });

  test("the exported SQL does the same by the host's own means", async () => {
    await using place = await folder();
    const chain = migrationsThrough(noteSchema, later);
    const database = new DatabaseSync(place.file);
    database.exec(exportMigrations(sqlite, { migrations: chain }));
    database.close();
    const store = await notes({ ...place, migrations: chain, migrate: false }).open(later);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    await store.close();
  });

  test('a field cannot take the place of a column of every table', () => {
    const schema: StorageSchema = [{ kind: 'note', columns: [{ name: 'document', type: 'string', index: false }], sets: [] }];
    assert.throws(() => exportMigrations(sqlite, { migrations: migrationsThrough(schema) }), /'document'/);
  });
});
