import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FormerDatabaseError } from './former-error.ts';

/** Snapshots of clusters expand to a few megabytes; a forged one must not fill the disk. */
const MAX_BYTES = 16 * 2 ** 30;

/** The contents of a gzipped snapshot. */
export interface ExpandedFile {
  readonly fd: number;
  /** Closes the file, which ends with it. */
  close(): Promise<void>;
}

/**
 * Expands an open, gzipped file to a temporary one, which only the user may read: it has the network's secrets. It loses its name before
 * anything is written, so that a process that ends in between leaves nothing behind.
 */
export const expand = async (
  fd: number,
  {
    maxBytes = MAX_BYTES,
    temporaryFolder = tmpdir(),
  }: { readonly maxBytes?: number | undefined; readonly temporaryFolder?: string | undefined },
): Promise<ExpandedFile> => {
  const folder = await mkdtemp(join(temporaryFolder, 'former-database-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const target = openSync(join(folder, 'database'), 'wx+', 0o600);
  // Windows removes the folder only once the file is closed.
  await remove().catch(() => undefined);
  const close = (): Promise<void> => {
    closeSync(target);
    return remove();
  };
  try {
    await pipeline(
      createReadStream('', { fd, start: 0, autoClose: false }),
      createGunzip(),
      bounded(maxBytes),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) for (let written = 0; written < chunk.length; ) written += writeSync(target, chunk, written);
      },
    );
  } catch (error) {
    await close();
    throw isOfGzip(error) ? new FormerDatabaseError('DAMAGED', `the gzipped file is damaged or cut: ${error.message}`) : error;
  }
  return { fd: target, close };
};

const bounded = (maxBytes: number): Transform => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new FormerDatabaseError('TOO_LARGE', `the gzipped file expands to more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
};

const isOfGzip = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
