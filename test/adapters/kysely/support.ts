/** Databases in files of their own, and the schemas that these tests store. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, nextMigration, type SqliteStorageOptions, sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { equals, has, type Predicate, stringField } from '../../../src/query/predicate.ts';
import type { Row, StorageSchema, Store } from '../../../src/store/storage/port.ts';

export interface Folder extends AsyncDisposable {
  readonly file: string;
}

export const folder = async (): Promise<Folder> => {
  const path = await mkdtemp(join(tmpdir(), 'overlay-'));
  return { file: join(path, 'controller.db'), [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

/** The migrations through these schemas, one after another. */
export const migrationsThrough = (...schemas: readonly StorageSchema[]): readonly Migration[] => {
  const migrations: Migration[] = [];
  for (const schema of schemas) {
    const next = nextMigration(migrations, schema, `step-${migrations.length + 1}`);
    if (next) migrations.push(next);
  }
  return migrations;
};

export const noteSchema: StorageSchema = [
  {
    kind: 'note',
    columns: [
      { name: 'name', type: 'string', index: 'unique' },
      { name: 'ownerId', type: 'string', index: true },
      { name: 'rank', type: 'number', index: false },
      { name: 'isOpen', type: 'boolean', index: false },
    ],
    sets: ['labels'],
  },
];

/** What comes after it: columns and a set that it has not, and another kind. */
export const later: StorageSchema = [
  {
    kind: 'note',
    columns: [
      { name: 'name', type: 'string', index: true },
      { name: 'isOpen', type: 'boolean', index: false },
      { name: 'weight', type: 'number', index: true },
    ],
    sets: ['readers'],
  },
  { kind: 'folder', columns: [], sets: [] },
];

export const note = (id: string, fields: Readonly<Record<string, unknown>> = {}): Row => ({
  id,
  version: 1,
  createdAt: '2024-01-01T00:00:00.000Z',
  updatedAt: '2024-01-01T00:00:00.000Z',
  name: `note ${id}`,
  ...fields,
});

/** A storage of notes, which survives kills but is not made to survive power failures. */
export const notes = (options: Pick<SqliteStorageOptions, 'file'> & Partial<SqliteStorageOptions>) =>
  sqliteStorage({ migrations: migrationsThrough(noteSchema), synchronous: 'NORMAL', ...options });

export const idsWhere = (store: Store, where: Predicate = { op: 'all' }) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where })).map((row) => row.id));

/** What a migration adds is filled from the documents, and what it drops is gone. */
export const assertFilled = async (open: (...schemas: readonly StorageSchema[]) => Promise<Store>): Promise<void> => {
  const store = await open(noteSchema);
  await store.transaction('write', async (tx) => {
    await tx.insert('note', note('a', { weight: 2, readers: ['ann', 'bob'], labels: ['x'] }));
    await tx.insert('note', note('b', { weight: 'heavy', readers: null }));
  });
  await store.close();
  const migrated = await open(noteSchema, later);
  assert.deepEqual(await idsWhere(migrated, equals({ path: ['weight'], type: 'number' }, 2)), ['a']);
  assert.deepEqual(await idsWhere(migrated, has('readers', 'bob')), ['a']);
  await migrated.transaction('write', async (tx) => {
    await tx.insert('note', note('c', { name: 'note a', readers: ['ann'] }));
    await tx.delete('note', 'a');
  });
  assert.deepEqual(await idsWhere(migrated, equals(stringField('name'), 'note a')), ['c']);
  assert.deepEqual(await migrated.transaction('read', (tx) => tx.distinct('note', 'readers')), ['ann']);
  await migrated.close();
};

/** Every acknowledged row is there, and nothing else. @returns how many there are */
export const assertWritten = async (store: Store, acknowledged: readonly string[]): Promise<number> => {
  const found = new Set(await idsWhere(store));
  const missing = acknowledged.filter((id) => !found.has(id));
  assert.deepEqual(missing, []);
  const [all, labelled] = await store.transaction('read', (tx) =>
    Promise.all([tx.count('note', { op: 'all' }), tx.count('note', has('labels', 'every'))]),
  );
  assert.deepEqual([all, labelled], [found.size, found.size]);
  return found.size;
};
