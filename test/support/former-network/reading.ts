import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type FormerDatabase, openFormerDatabase } from '../../../adopt/reader/former-database.ts';
import { FORMER_KINDS } from './random.ts';

/** A temporary folder for the files of a test file. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'former-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Everything that can be read of a database. */
export const everythingOf = (database: FormerDatabase): unknown => [
  database.schemaVersion,
  database.members,
  [...database.counts()],
  FORMER_KINDS.map((kind) => [...database.entities(kind)]),
];

/** Opens, reads everything, and closes. */
export const readAll = async (path: string): Promise<unknown> => {
  const database = await openFormerDatabase(path);
  try {
    const all = everythingOf(database);
    database.assertUnchanged();
    return all;
  } finally {
    await database.close();
  }
};
