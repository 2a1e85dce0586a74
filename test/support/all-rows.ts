import type { KindName } from '../../src/contract/api/kind-names.ts';
import type { Row } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import type { App } from './app.ts';

/** All rows that the store holds, by kind. When sessions were last active is left out: every call tells that. */
export const allRows = async (app: App): Promise<Readonly<Record<string, readonly Row[]>>> => {
  await app.settled();
  const tables = storageSchema.map(({ kind }) => kind as KindName); // the tables are those of kinds
  const all: Record<string, readonly Row[]> = {};
  for (const kind of tables) all[kind] = (await app.rows(kind)).map(({ lastActivityAt: _, ...row }) => row as Row); // without one field
  return all;
};
