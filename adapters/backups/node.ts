/**
 * Backups in a folder, compressed and encrypted, with the library `age-encryption` (the format age, https://age-encryption.org/v1).
 * @module overlay-controller/backups/node
 */
export { type BackupFolderOptions, type BackupKey, backupFolder, newBackupKey } from './backup-folder.ts';
export { type ReadBackupOptions, readBackup } from './read-backup.ts';
