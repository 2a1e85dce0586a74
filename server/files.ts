import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, makeFolder } from '../adapters/platform/folders.ts';
import { codeOf, fileTrouble, StartFailure } from './failure.ts';

/**
 * Creates a folder that only its owner may enter, and missing parent folders. An existing folder keeps its mode, since it may be shared.
 * @throws StartFailure if the folder cannot be created
 */
export const privateFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new StartFailure(`cannot create the folder ${folder}: ${fileTrouble(error)}`);
  }
};

/** @returns undefined if the file does not exist */
export const readIfExists = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StartFailure(`cannot read ${file}: ${fileTrouble(error)}`);
  }
};

/**
 * Writes a file atomically: first to a temporary file, which is then renamed.
 * @throws StartFailure
 */
export const writeWhole = (file: string, text: string, mode: number): Promise<void> => writeAtomically(file, text, mode, rename);

/**
 * Like `writeWhole`, but only if the file does not exist. If several processes call it concurrently, one creates the file, and all return its content.
 * @returns the content of the file
 * @throws StartFailure
 */
export const writeOnce = async (file: string, text: string, mode: number): Promise<string> => {
  await writeAtomically(file, text, mode, async (temporary) => {
    // Unlike a rename, a link does not overwrite a file.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await rm(temporary);
  });
  return (await readIfExists(file)) ?? text;
};

/** @param rename moves the complete temporary file to its final name */
const writeAtomically = async (
  file: string,
  text: string,
  mode: number,
  rename: (temporary: string, file: string) => Promise<void>,
): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    // `writeFile` applies the umask of the process; `chmod` sets the exact mode.
    await chmod(temporary, mode);
    await rename(temporary, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartFailure(`cannot write ${file}: ${fileTrouble(error)}`);
  }
};
