/**
 * The next release, as far as its database goes: it finds identities by a field that has no column yet, and needs a column of services no
 * more. Run as a process, it serves a network: `node next-release.ts <SQLite file>`, with `SECRET_KEY`.
 */
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { serve } from '../../adapters/http/node.ts';
import { type Migration, migrations, nextContraction, schemaAfter, sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../src/index.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';

const expansion: Migration = {
  version: migrations.length + 1,
  name: 'of-the-next-release',
  steps: [
    { do: 'addColumn', kind: 'identity', column: { name: 'defaultHostingPrecedence', type: 'string', index: true } },
    { do: 'addKind', kind: { kind: 'novelty', columns: [], sets: [] } },
    { do: 'retireColumn', kind: 'service', column: 'terminatorStrategy' },
  ],
};
const expanded = [...migrations, expansion];
const contraction = nextContraction(expanded, 'of-the-release-after');

/** What the next release stores. */
export const nextSchema = schemaAfter(expanded);

/** The database of the next release, or of the one after it, which drops what the next has retired. */
export const storageOf = (file: string, release: 'next' | 'afterNext' = 'next'): StorageAdapter & { migrate(): Promise<void> } => {
  const storage = sqliteStorage({ file, migrations: release === 'next' || !contraction ? expanded : [...expanded, contraction] });
  return { ...storage, open: () => storage.open(nextSchema) };
};

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file = ''] = argv;
  const settings = { address: 'https://127.0.0.1:1280' };
  const controller = await ManagementController.open({ storage: storageOf(file), secretKey: process.env.SECRET_KEY ?? '', settings });
  const { address } = await serve({ controller });
  console.log(address);
}
