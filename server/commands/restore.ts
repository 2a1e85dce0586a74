import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { restoreSnapshot } from '../../src/index.ts';
import { fileTrouble, StartFailure } from '../failure.ts';
import { givenKeys, secretKeyIn } from '../secret-key.ts';
import { prepareKept } from '../storage.ts';
import { keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';

export const restore = command({
  summary: 'fill an empty database from a snapshot',
  options: {
    snapshot: { value: 'FILE', about: 'the snapshot' },
    storage: { ...storage, about: `an empty one: ${storage.about}` },
    'secret-key-file': {
      value: 'FILE',
      about:
        "the secret key of the network, which must open every secret in the snapshot (default: the environment's SECRET_KEY; without either, secrets are restored as they are)",
    },
    'end-credentials': {
      about: 'leave out API sessions with their tokens, and API tokens: those that were revoked since the snapshot would be valid again',
    },
  },
  notes:
    'No server may run on the database. Each row is checked: an invalid snapshot is refused with the number of the line at fault, and nothing is restored. Where secrets are sealed, the server that is started on it needs the secret key of the network that the snapshot is of.',
  run: async (given, environment) => {
    const file = given.get('snapshot');
    if (file === undefined) throw new StartFailure('restore needs --snapshot FILE; see --help');
    await access(file).catch((error: unknown) => {
      throw new StartFailure(`cannot read the snapshot ${file}: ${fileTrouble(error)}`);
    });
    const { adapter, name } = await prepareKept(keptStorageOf(given.get('storage')));
    const secretKey = await givenKeys(secretKeyIn(given, environment));
    const endCredentials = given.has('end-credentials');
    const snapshot = createReadStream(file);
    const { rows, ended, takenAt, revision } = await restoreSnapshot({ storage: adapter, snapshot, secretKey, endCredentials });
    const without = endCredentials ? `, without ${ended} API sessions and API tokens` : '';
    return `restored ${rows} rows of ${takenAt}, revision ${revision}, into ${name}${without}`;
  },
});
