import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its owner may access, with its missing parents. Does not change an existing folder. Does not use the option
 * `recursive` of `mkdir`, which reports `ENOENT` even for other causes, such as a read-only file system.
 * @throws errors of the file system, e.g. `EROFS`
 */
export const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const exists = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (exists) return;
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await makeFolder(folder);
  }
};

/** Flushes a folder, so that the names of its files are on disk. Does nothing on Windows, where folders cannot be opened. */
export const flushFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};
