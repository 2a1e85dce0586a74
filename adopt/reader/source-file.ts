import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from 'node:fs';
import { FormerDatabaseError } from './former-error.ts';

const GZIP_MAGIC = 0x1f8b;

/** A file that others own, open for reading only. */
export class SourceFile {
  readonly fd: number;
  readonly path: string;
  readonly #opened: Stats;

  /** @throws errors of the file system, e.g. `ENOENT`; FormerDatabaseError `NOT_A_DATABASE` for anything but a file, such as a folder */
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

/**
 * The process that has locked a file, as Linux lists it in `/proc/locks`; undefined if there is none, or the system does not tell. The
 * owner of a bbolt database holds an advisory lock (flock) on it while it has it open. The list names files by inode, which another file
 * system may have, too: the open files of the process decide, if they may be seen.
 */
const lockOwner = (file: Stats): number | undefined => lockersOf(file.ino).find((pid) => hasOpen(pid, file) !== false);

const lockersOf = (inode: number): number[] => {
  try {
    return readFileSync('/proc/locks', 'latin1')
      .split('\n')
      .flatMap((line) => {
        const [, pid, ino] = /^\d+: FLOCK .* (-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
        return Number(ino) === inode ? [Number(pid)] : [];
      });
  } catch {
    return []; // not Linux
  }
};

/** Undefined if its open files may not be seen. */
const hasOpen = (pid: number, { dev, ino }: Stats): boolean | undefined => {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => {
      const open = statSync(`${folder}/${fd}`, { throwIfNoEntry: false });
      return open?.dev === dev && open.ino === ino;
    });
  } catch {
    return undefined;
  }
};
