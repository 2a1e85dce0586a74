import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';

/**
 * The process that has locked a file, as Linux lists it in `/proc/locks`; undefined if there is none, or the system does not tell. The owner of a bbolt database
 * holds an advisory lock (flock) on it while it has it open. The list names files by inode, which another file system may have, too: the open files of the
 * process decide, if they may be seen.
 */
export const lockOwner = (file: Stats): number | undefined => lockersOf(file.ino).find((pid) => hasOpen(pid, file) !== false);

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
