/** Databases in files of their own, and the schemas that these tests store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, nextMigration, type SqliteStorageOptions, sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import type { Row, StorageSchema } from '../../../src/storage/port.ts';

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
