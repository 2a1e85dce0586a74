import { access } from 'node:fs/promises';
import { readBackup } from '../../adapters/backups/node.ts';
import { restoreSnapshot } from '../../src/index.ts';
import { describeFileError, StartFailure } from '../failure.ts';
import { givenKeys, secretKeyIn } from '../secret-key.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import { backupKeyFile, backupKeysIn } from './backup.ts';
import { defineCommand, storageOption } from './command.ts';

export const restore = defineCommand({
  summary: 'fill an empty database from a snapshot',
  options: {
    snapshot: { value: 'FILE', about: 'the snapshot, or a backup' },
    'backup-key-file': backupKeyFile,
    storage: { ...storageOption, about: `an empty database: ${storageOption.about}` },
    'secret-key-file': {
      value: 'FILE',
      about:
        'the secret key of the network, which must open every secret in the snapshot (default: the variable SECRET_KEY; without either, secrets are restored as they are)',
    },
    'end-credentials': {
      about: 'omit API sessions and API tokens; otherwise, those that were revoked since the snapshot become valid again',
    },
  },
  notes:
    'No server may be running on the database. Each row is checked: an invalid snapshot is refused with the number of the invalid line, and nothing is restored. If secrets are sealed, the server on the restored database needs the secret key of the original network.',
  run: async (given, environment) => {
    const file = given.get('snapshot');
    if (file === undefined) throw new StartFailure('restore needs --snapshot FILE; see --help');
    await access(file).catch((error: unknown) => {
      throw new StartFailure(`cannot read the snapshot ${file}: ${describeFileError(error)}`);
    });
    const { adapter, name } = await prepareKept(parseKeptStorage(given.get('storage')));
    const secretKey = await givenKeys(secretKeyIn(given, environment));
    const endCredentials = given.has('end-credentials');
    const snapshot = readBackup(file, { keys: backupKeysIn(given.get('backup-key-file')) });
    const { rows, ended, takenAt, revision } = await restoreSnapshot({ storage: adapter, snapshot, secretKey, endCredentials });
    const without = endCredentials ? `, without ${ended} API sessions and API tokens` : '';
    return `restored ${rows} rows from the snapshot of ${takenAt}, revision ${revision}, into ${name}${without}`;
  },
});
