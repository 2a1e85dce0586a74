import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, makeFolder } from '../adapters/platform/folders.ts';
import { codeOf, fileTrouble, StartFailure } from './failure.ts';

/**
 * Makes a folder that only its owner may enter, and the folders above it. One that is there already stays as it is: it may be shared with others.
 * @throws StartFailure when that cannot be
 */
export const privateFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new StartFailure(`cannot make the folder ${folder}: ${fileTrouble(error)}`);
  }
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
export const writeWhole = (file: string, text: string, mode: number): Promise<void> => putWhole(file, text, mode, rename);

/**
 * As `writeWhole`, but only where there is no such file: of several processes that do so at once, one makes the file, and all read what is in it.
 * @returns what the file holds
 * @throws StartFailure
 */
export const writeOnce = async (file: string, text: string, mode: number): Promise<string> => {
  await putWhole(file, text, mode, async (temporary) => {
    // Unlike a rename, a link takes no other file's place.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await rm(temporary);
  });
  return (await readIfThere(file)) ?? text;
};

/** @param place gives the file its name, once all of it is on disk under another one */
const putWhole = async (
  file: string,
  text: string,
  mode: number,
  place: (temporary: string, file: string) => Promise<void>,
): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    // Independent of the umask of this process: the mode is part of the file.
    await chmod(temporary, mode);
    await place(temporary, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartFailure(`cannot write ${file}: ${fileTrouble(error)}`);
  }
};
