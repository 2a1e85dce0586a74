import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SnapshotSink } from '../../src/adapter-kit.ts';
import { flushFolder, makeFolder } from './folders.ts';

/**
 * Stores snapshots in a folder as `<name>.ndjson`. Only the owner can read them, because they contain password hashes. The folder is
 * created on first use. A file gets its final name when it is complete and on disk. Old snapshots are not deleted.
 *
 * ```ts
 * ManagementController.open({ storage, settings, snapshots: snapshotFolder('snapshots') });
 * ```
 */
export const snapshotFolder = (folder: string): SnapshotSink => ({
  save: async (name, parts) => {
    await makeFolder(folder);
    const temporary = join(folder, `${name}.part`);
    try {
      await pipeline(parts, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }));
      await rename(temporary, join(folder, `${name}.ndjson`));
      await flushFolder(folder);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  },
});
