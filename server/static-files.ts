import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A file that is open for reading. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** A weak entity tag, from the size and the modification time. */
  readonly etag: string;
}

/**
 * The segments of a path, decoded once.
 * @returns undefined if a segment is hidden (`.env`, `.git`), leads up (`..`), or contains a separator or a control character
 */
export const safeSegments = (path: string): readonly string[] | undefined => {
  const segments: string[] = [];
  for (const escaped of path.split('/').slice(1)) {
    let segment: string;
    try {
      segment = decodeURIComponent(escaped);
    } catch {
      return undefined;
    }
    if (!isServed(segment)) return undefined;
    segments.push(segment);
  }
  // An empty segment results from a double slash, except at the end.
  return segments.slice(0, -1).includes('') ? undefined : segments;
};

/** Rejects hidden files, `..`, separators and control characters, and colons, which denote drives and file streams on Windows. */
const isServed = (segment: string): boolean => !/^\.|[\\/:\p{Cc}]/u.test(segment);

/**
 * Opens the file at a path. Follows symbolic links only to files within the folder that are not hidden.
 * @param root real path of the folder
 * @returns undefined if there is no such file
 */
export const openBelow = async (root: string, segments: readonly string[]): Promise<OpenFile | undefined> => {
  const file = await realpath(join(root, ...segments)).catch(() => undefined);
  // The relative path of a file outside the folder begins with `..` or, on Windows, with another drive.
  if (file === undefined || !relative(root, file).split(sep).every(isServed)) return undefined;
  // Checked before opening, because opening a pipe would wait for its writer.
  const stats = await stat(file).catch(() => undefined);
  const handle = stats?.isFile() ? await open(file, 'r').catch(() => undefined) : undefined;
  if (!stats || !handle) return undefined;
  return { handle, size: stats.size, etag: `W/"${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}"` };
};

const CHUNK_BYTES = 65_536;

/** The content of a file, read on demand. The file is closed at its end, or when the consumer stops early. */
export const contentsOf = ({ handle, size }: OpenFile): AsyncIterable<Uint8Array> => {
  let position = 0;
  const close = async (): Promise<IteratorResult<Uint8Array>> => {
    await handle.close().catch(() => undefined);
    return { done: true, value: undefined };
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(CHUNK_BYTES, size - position)), { position });
      position += bytesRead;
      return bytesRead === 0 ? await close() : { done: false, value: buffer.subarray(0, bytesRead) };
    } catch (error) {
      await close();
      throw error;
    }
  };
  // Not a generator: calling `return` before the first `next` would not close the file.
  return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
};
