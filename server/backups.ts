import { backupFolder } from '../adapters/backups/node.ts';
import type { BackupOptions, BackupStore } from '../src/index.ts';
import { BACKUP_DEFAULTS, BACKUP_MAXIMA } from '../src/operations/database/backups.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import { upTo } from './option-values.ts';

/** The options that say where backups are stored, and who can decrypt them. */
export const backupOptions = {
  'backup-folder': {
    value: 'FOLDER',
    about:
      'take backups of the database on a schedule, and store them in this folder, which must be used by this network only (default: none)',
    parse: String,
  },
  'backup-recipient': {
    value: 'RECIPIENT',
    about:
      'encrypt backups for this public key of age, such as age1..., of the command backup key. May be given several times: each key can decrypt them',
    list: 'repeated',
    member: 'backupRecipients',
    parseAll: (recipients: readonly string[]) => recipients,
  },
} as const;

/** The options that say when backups are taken, and how long they are kept. */
export const backupScheduleOptions = {
  'backup-hours': {
    value: 'HOURS',
    about: `hours from one backup to the next, 1 to ${BACKUP_MAXIMA.everyHours} (default: ${BACKUP_DEFAULTS.everyHours})`,
    parse: upTo(BACKUP_MAXIMA.everyHours),
  },
  'backup-keep': {
    value: 'NUMBER',
    about: `number of backups that are kept, 1 to ${BACKUP_MAXIMA.keep}; older ones are deleted after the next backup (default: ${BACKUP_DEFAULTS.keep})`,
    parse: upTo(BACKUP_MAXIMA.keep),
  },
  'backup-keep-days': {
    value: 'DAYS',
    about: `days after which a backup is deleted, 1 to ${BACKUP_MAXIMA.keepForDays}; the latest one is always kept (default: no limit)`,
    parse: upTo(BACKUP_MAXIMA.keepForDays),
  },
} as const;

/** @throws StartFailure for an invalid recipient */
export const openBackups = (folder: string, recipients: readonly string[]): BackupStore => {
  try {
    return backupFolder(folder, { recipients });
  } catch (error) {
    throw new StartFailure(`--backup-recipient: ${sentenceOf(error)}`);
  }
};

/** The values of the options of backups. */
interface GivenBackups {
  readonly backupFolder?: string;
  readonly backupRecipients?: readonly string[];
  readonly backupHours?: number;
  readonly backupKeep?: number;
  readonly backupKeepDays?: number;
}

/**
 * The option `backups` of the controller.
 * @throws StartFailure for an invalid recipient, or options of backups without a folder
 */
export const backupsOf = (options: GivenBackups): { readonly backups?: BackupOptions } => {
  const { backupFolder: folder, backupRecipients = [], backupHours, backupKeep, backupKeepDays } = options;
  if (folder !== undefined)
    return {
      backups: { store: openBackups(folder, backupRecipients), everyHours: backupHours, keep: backupKeep, keepForDays: backupKeepDays },
    };
  const isOtherGiven = backupRecipients.length > 0 || [backupHours, backupKeep, backupKeepDays].some((option) => option !== undefined);
  if (isOtherGiven)
    throw new StartFailure('--backup-folder is missing: without it, no backups are taken, and their other options have no effect');
  return {};
};
