import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { codeOf, fileTrouble, StartFailure } from './failure.ts';

/**
 * Makes a folder that only its owner may enter, and the folders above it.
 * @throws StartFailure when that cannot be
 */
export const privateFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`cannot make the folder ${folder}: ${fileTrouble(error)}`);
  }
};

/** As `privateFolder`, and takes the rights from others where the folder is there already. */
export const keepPrivate = async (folder: string): Promise<void> => {
  await privateFolder(folder);
  await chmod(folder, 0o700).catch((error: unknown) => {
    throw new StartFailure(`cannot make the folder ${folder} private: ${fileTrouble(error)}`);
  });
};

/** @returns undefined when there is no such file */
export const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StartFailure(`cannot read ${file}: ${fileTrouble(error)}`);
  }
};

/**
 * Writes the whole file or leaves what was there: on disk under another name first, then renamed.
 * @throws StartFailure
 */
export const writeWhole = async (file: string, text: string, mode: number): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartFailure(`cannot write ${file}: ${fileTrouble(error)}`);
  }
};
