import { join } from 'node:path';
import { snapshotFolder } from '../../adapters/platform/node.ts';
import { takeSnapshot } from '../../src/index.ts';
import { prepareKept } from '../storage.ts';
import { dataFolderOf, keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';

export const snapshot = command({
  summary: 'take a snapshot of a network while servers run',
  options: {
    snapshots: { value: 'FOLDER', about: 'where it is kept (default: snapshots, beside the database)' },
    storage,
  },
  notes:
    'It needs no secret key, and the database may be of another release: take one before each upgrade. Who can read a snapshot can try passwords against the hashes in it.',
  run: async (given) => {
    const chosen = keptStorageOf(given.get('storage'));
    const { adapter, name } = await prepareKept(chosen, { readOnly: true });
    const folder = given.get('snapshots') ?? join(dataFolderOf(chosen), 'snapshots');
    const taken = await takeSnapshot({ storage: adapter, snapshots: snapshotFolder(folder) });
    return `took a snapshot of ${name}, revision ${taken.revision}: ${join(folder, `${taken.name}.ndjson`)}`;
  },
});
