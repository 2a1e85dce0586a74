import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { chmod, link, rename, rm, writeFile } from 'node:fs/promises';
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

/** Far more than certificates, keys and options need. */
const MAX_TEXT_BYTES = 2 ** 20;

/**
 * The text of a file. Devices never end, and a pipe waits for its writer: they are refused, as is a file that is too large.
 * @returns undefined if the file does not exist
 * @throws StartFailure
 */
const textOf = (file: string, maxBytes = MAX_TEXT_BYTES): string | undefined => {
  let fd: number | undefined;
  try {
    // Without it, opening a pipe would wait. Windows has no such flag.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const kind = fstatSync(fd);
    // Reading a folder fails by itself, with words of its own.
    if (!kind.isFile() && !kind.isDirectory()) throw new StartFailure(`cannot read ${file}: it is not a regular file`);
    return textIn(fd, file, maxBytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof StartFailure ? error : new StartFailure(`cannot read ${file}: ${fileTrouble(error)}`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** @returns undefined if the file does not exist @throws StartFailure if it cannot be read, is no regular file, or is too large */
export const readIfExists = async (file: string): Promise<string | undefined> => textOf(file);

/** @throws StartFailure also if the file does not exist */
export const readText = (file: string, maxBytes?: number): string => {
  const text = textOf(file, maxBytes);
  if (text === undefined) throw new StartFailure(`cannot read ${file}: there is no such file or folder`);
  return text;
};

const CHUNK_BYTES = 65_536;

/** The size of a file may change, and some systems show none: it ends where nothing more can be read. */
const textIn = (fd: number, file: string, maxBytes: number): string => {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(fd, chunk);
    if (read === 0) return Buffer.concat(chunks, bytes).toString();
    bytes += read;
    if (bytes > maxBytes) throw new StartFailure(`cannot read ${file}: it has more than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, read));
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
  return textOf(file) ?? text;
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
