import { join } from 'node:path';
import { snapshotFolder } from '../../adapters/platform/node.ts';
import { takeSnapshot } from '../../src/index.ts';
import { prepareKept } from '../storage.ts';
import { dataFolder, dataFolderOf, parseKeptStorage } from '../storage-option.ts';
import { defineCommand, storageOption } from './command.ts';

export const snapshot = defineCommand({
  summary: 'take a snapshot of a network while servers run',
  options: {
    snapshots: { value: 'FOLDER', about: 'folder for the snapshot (default: snapshots in the data folder)' },
    storage: storageOption,
    'data-folder': dataFolder,
  },
  notes:
    'No secret key is needed, and the database may be of another release: take a snapshot before each upgrade. Anyone who can read a snapshot can try passwords against the hashes in it.',
  run: async (given) => {
    const chosen = parseKeptStorage(given.get('storage'));
    const { adapter, name } = await prepareKept(chosen, { readOnly: true });
    const folder = given.get('snapshots') ?? join(dataFolderOf(chosen, given.get('data-folder')), 'snapshots');
    const taken = await takeSnapshot({ storage: adapter, snapshots: snapshotFolder(folder) });
    return `took a snapshot of ${name}, revision ${taken.revision}: ${join(folder, `${taken.name}.ndjson`)}`;
  },
});
