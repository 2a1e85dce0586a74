/** The processes of a PostgreSQL server, as Linux shows them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The main process of the server on a data folder, and those that it has started; empty if it does not run. */
export const serverProcesses = (data: string): readonly number[] => {
  const main = Number(read(join(data, 'postmaster.pid')).split('\n')[0]);
  return commandOf(main).includes(data) ? [main, ...childrenOf(main)] : [];
};

/** Sends a signal to a process, if it still runs. */
export const send = (id: number | undefined, signal: NodeJS.Signals): void => {
  try {
    if (id) process.kill(id, signal);
  } catch {
    // It has ended.
  }
};

export const commandOf = (id: number): string => read(`/proc/${id}/cmdline`);

const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => read(`/proc/${id}/stat`).split(') ')[1]?.split(' ')[1] === String(parent));

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended
  }
};
