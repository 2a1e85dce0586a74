import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastBackupIn } from '../../adapters/backups/backup-folder.ts';
import { newBackupKey, readBackup } from '../../adapters/backups/node.ts';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { restoreSnapshot, takeSnapshot } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { backupOptions, openBackups } from '../backups.ts';
import { StartFailure } from '../failure.ts';
import { readText, writeOnce } from '../files.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import { defineCommand, storageOption } from './command.ts';

/** The option of commands that decrypt a backup. */
export const backupKeyFile = {
  value: 'FILE',
  about: 'file with the private keys that decrypt the backup, one per line, as the command backup key writes it',
} as const;

export const backup = defineCommand({
  summary: 'take a backup of a network while servers run, or verify one',
  options: {
    storage: storageOption,
    ...backupOptions,
    verify: { about: 'take no backup, but restore one into a new database, which is deleted afterwards' },
    backup: { value: 'FILE', about: 'the backup to verify (default: the latest in the folder)' },
    'backup-key-file': backupKeyFile,
  },
  notes:
    'To take a backup, no secret key is needed, and the database may be of another release. To verify one, no database is needed. The server takes backups on a schedule itself with --backup-folder.',
  run: async (given) => {
    if (given.has('verify')) return verify(given);
    const folder = folderIn(given);
    const { adapter, name } = await prepareKept(parseKeptStorage(given.get('storage')), { readOnly: true });
    const taken = await takeSnapshot({ storage: adapter, snapshots: openBackups(folder, given.all('backup-recipient')) });
    return `took a backup of ${name}, revision ${taken.revision}: ${await lastBackupIn(folder, taken.takenAt)}`;
  },
});

export const backupKey = defineCommand({
  summary: 'create a key pair for encrypted backups',
  options: { 'backup-key-file': { value: 'FILE', about: 'new file for the private key' } },
  notes:
    'Keep the private key away from the servers, and never lose it: without it, encrypted backups cannot be restored. The public key is for --backup-recipient. Both are keys of age, whose tools also read these backups.',
  run: async (given) => {
    const file = given.get('backup-key-file');
    if (file === undefined) throw new StartFailure('backup key needs --backup-key-file FILE, a new file for the private key');
    const { key, recipient } = await newBackupKey();
    const text = `# public key: ${recipient}\n${key}\n`;
    if ((await writeOnce(file, text, 0o600)) !== text)
      throw new StartFailure(`${file} exists already: choose a new file, because a key that is lost cannot be replaced`);
    return `the private key is in ${file}; the public key is\n${recipient}`;
  },
});

/**
 * @param file the value of `--backup-key-file`
 * @throws StartFailure if the file cannot be read, or has no key
 */
export const backupKeysIn = (file: string | undefined): readonly string[] => {
  if (file === undefined) return [];
  const lines = readText(file)
    .split('\n')
    .map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new StartFailure(`--backup-key-file: ${file} has no key`);
  return keys;
};

const folderIn = (given: OptionValues<'backup-folder'>): string => {
  const folder = given.get('backup-folder');
  if (folder === undefined) throw new StartFailure('backup needs --backup-folder FOLDER');
  return folder;
};

const verify = async (given: OptionValues<'backup-folder' | 'backup' | 'backup-key-file'>): Promise<string> => {
  const file = given.get('backup') ?? (await lastBackupIn(folderIn(given)));
  if (file === undefined) throw new StartFailure(`there is no backup in ${given.get('backup-folder')}`);
  const keys = backupKeysIn(given.get('backup-key-file'));
  const scratch = await mkdtemp(join(tmpdir(), 'overlay-controller-'));
  try {
    const storage = sqliteStorage({ file: join(scratch, 'restored.db'), synchronous: 'NORMAL' });
    const { rows, takenAt, revision } = await restoreSnapshot({ storage, snapshot: readBackup(file, { keys }) });
    return `${file} is complete: ${rows} rows of ${takenAt}, revision ${revision}`;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
