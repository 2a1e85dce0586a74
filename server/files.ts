import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, makeFolder } from '../adapters/platform/folders.ts';
import { codeOf, fileTrouble, StartFailure } from './failure.ts';

/**
 * Creates a folder that only its owner may enter, and its parents. An existing folder keeps its mode, since others may share it.
 * @throws StartFailure when the folder cannot be created
 */
export const privateFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new StartFailure(`cannot create the folder ${folder}: ${fileTrouble(error)}`);
  }
};

/** @returns undefined when the file does not exist */
export const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StartFailure(`cannot read ${file}: ${fileTrouble(error)}`);
  }
};

/**
 * Writes a file atomically: under a temporary name first, then renamed.
 * @throws StartFailure
 */
export const writeWhole = (file: string, text: string, mode: number): Promise<void> => putWhole(file, text, mode, rename);

/**
 * Like `writeWhole`, but only if the file does not exist. If several processes do so concurrently, one creates the file, and all read its content.
 * @returns the content of the file
 * @throws StartFailure
 */
export const writeOnce = async (file: string, text: string, mode: number): Promise<string> => {
  await putWhole(file, text, mode, async (temporary) => {
    // Unlike a rename, a link does not overwrite a file.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await rm(temporary);
  });
  return (await readIfThere(file)) ?? text;
};

/** @param rename gives the file its name, once it is complete on disk under a temporary one */
const putWhole = async (
  file: string,
  text: string,
  mode: number,
  rename: (temporary: string, file: string) => Promise<void>,
): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    // Independent of the umask of this process: the mode is part of the file.
    await chmod(temporary, mode);
    await rename(temporary, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartFailure(`cannot write ${file}: ${fileTrouble(error)}`);
  }
};
