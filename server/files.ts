import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { chmod, link, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, makeFolder } from '../adapters/platform/folders.ts';
import { codeOf, describeFileError, StartFailure } from './failure.ts';

/**
 * Creates a folder that only its owner may enter, and missing parent folders. An existing folder keeps its mode, since it may be shared.
 * @throws StartFailure if the folder cannot be created
 */
export const makePrivateFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new StartFailure(`cannot create the folder ${folder}: ${describeFileError(error)}`);
  }
};

/** Far more than any certificate, key or file of options needs. */
const MAX_TEXT_BYTES = 2 ** 20;

/**
 * Reads a text file. Refuses devices and pipes, which may never end, and files that are too large.
 * @returns undefined if the file does not exist
 * @throws StartFailure
 */
const textOf = (file: string, maxBytes = MAX_TEXT_BYTES): string | undefined => {
  let fd: number | undefined;
  try {
    // Without `O_NONBLOCK`, opening a pipe would wait for a writer. Windows has no such flag.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    // Reading a folder fails with an error of its own.
    if (!stats.isFile() && !stats.isDirectory()) throw new StartFailure(`cannot read ${file}: it is not a regular file`);
    return textIn(fd, file, maxBytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof StartFailure ? error : new StartFailure(`cannot read ${file}: ${describeFileError(error)}`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/**
 * @returns undefined if the file does not exist
 * @throws StartFailure if it cannot be read, is not a regular file, or is too large
 */
export const readIfExists = async (file: string): Promise<string | undefined> => textOf(file);

/** @throws StartFailure also if the file does not exist */
export const readText = (file: string, maxBytes?: number): string => {
  const text = textOf(file, maxBytes);
  if (text === undefined) throw new StartFailure(`cannot read ${file}: there is no such file or folder`);
  return text;
};

const CHUNK_BYTES = 65_536;

/** Reads until the end of the file instead of relying on its size, which may change, and which some file systems report as 0. */
const textIn = (fd: number, file: string, maxBytes: number): string => {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytesRead = readSync(fd, chunk);
    if (bytesRead === 0) return Buffer.concat(chunks, bytes).toString();
    bytes += bytesRead;
    if (bytes > maxBytes) throw new StartFailure(`cannot read ${file}: it has more than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, bytesRead));
  }
};

/**
 * Writes a file atomically: first to a temporary file, which is then renamed.
 * @throws StartFailure
 */
export const writeAtomically = (file: string, text: string, mode: number): Promise<void> => writeThrough(file, text, mode, rename);

/**
 * Like `writeAtomically`, but only if the file does not exist. If several processes call it concurrently, one creates the file, and all
 * return its content.
 * @returns the content of the file
 * @throws StartFailure
 */
export const writeOnce = async (file: string, text: string, mode: number): Promise<string> => {
  await writeThrough(file, text, mode, async (temporary) => {
    // Unlike a rename, a link does not overwrite a file.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await rm(temporary);
  });
  return textOf(file) ?? text;
};

/** @param publish gives the complete temporary file its final name */
const writeThrough = async (
  file: string,
  text: string,
  mode: number,
  publish: (temporary: string, file: string) => Promise<void>,
): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    // `writeFile` applies the umask of the process; `chmod` sets the exact mode.
    await chmod(temporary, mode);
    await publish(temporary, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartFailure(`cannot write ${file}: ${describeFileError(error)}`);
  }
};
