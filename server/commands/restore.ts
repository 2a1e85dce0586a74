import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { restoreSnapshot } from '../../src/index.ts';
import { fileTrouble, StartFailure } from '../failure.ts';
import { prepareKept } from '../storage.ts';
import { keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';

export const restore = command({
  summary: 'fill an empty database from a snapshot',
  options: {
    snapshot: { value: 'FILE', about: 'the snapshot' },
    storage: { ...storage, about: `an empty one: ${storage.about}` },
  },
  notes:
    'No server may run on the database. Where secrets are sealed, the server that is started on it needs the secret key of the network that the snapshot is of.',
  run: async (given) => {
    const file = given.get('snapshot');
    if (file === undefined) throw new StartFailure('restore needs --snapshot FILE; see --help');
    await access(file).catch((error: unknown) => {
      throw new StartFailure(`cannot read the snapshot ${file}: ${fileTrouble(error)}`);
    });
    const { adapter, name } = await prepareKept(keptStorageOf(given.get('storage')));
    const { rows, takenAt, revision } = await restoreSnapshot({ storage: adapter, snapshot: createReadStream(file) });
    return `restored ${rows} rows of ${takenAt}, revision ${revision}, into ${name}`;
  },
});
