import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { FormerDatabaseError } from './former-error.ts';
import { lockOwner } from './lock.ts';

const GZIP_MAGIC = 0x1f8b;

/** A file that others own, open for reading only. */
export class SourceFile {
  readonly fd: number;
  readonly path: string;
  readonly #opened: Stats;

  /** @throws errors of the file system, e.g. `ENOENT`; FormerDatabaseError `NOT_A_DATABASE` for what is no file, such as a folder */
  constructor(path: string) {
    this.path = path;
    // Without the flag, to open a pipe would wait for its writer. Windows has none.
    this.fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    this.#opened = fstatSync(this.fd);
    if (this.#opened.isFile()) return;
    closeSync(this.fd);
    throw new FormerDatabaseError('NOT_A_DATABASE', `${path} is not a file`);
  }

  get isGzip(): boolean {
    const start = Buffer.alloc(2);
    return readSync(this.fd, start, 0, 2, 0) === 2 && start.readUInt16BE(0) === GZIP_MAGIC;
  }

  /** @throws FormerDatabaseError `IN_USE` */
  assertNotInUse(): void {
    const pid = lockOwner(this.#opened);
    if (pid === undefined) return;
    throw new FormerDatabaseError(
      'IN_USE',
      `process ${pid} has ${this.path} open: stop it first, as what it writes from now on would be lost; a plan may read the database meanwhile`,
    );
  }

  /** @throws FormerDatabaseError `CHANGED` if another file has taken its place */
  assertInPlace(): void {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now?.dev !== this.#opened.dev || now.ino !== this.#opened.ino)
      throw new FormerDatabaseError('CHANGED', `${this.path} was replaced or removed while it was read`);
  }

  /** @throws FormerDatabaseError `CHANGED` if it was written to, by its size and date */
  assertSame(): void {
    const { size, mtimeMs } = fstatSync(this.fd);
    if (size !== this.#opened.size || mtimeMs !== this.#opened.mtimeMs)
      throw new FormerDatabaseError('CHANGED', `${this.path} was written to while it was read`);
  }

  close(): void {
    closeSync(this.fd);
  }
}
