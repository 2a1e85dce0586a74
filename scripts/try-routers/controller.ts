import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Processes } from './processes.ts';

/** The controller that is tried: the example server, on SQLite. */
export interface RunningController {
  /** Kills it without a warning, and starts it again on its database. Resolves when it answers. */
  killAndRestart(): Promise<void>;
  /** What it has used so far; nothing where there is no /proc. */
  used(): { readonly processorMs: number; readonly mebibytes: number } | undefined;
}

const main = join(import.meta.dirname, '../../server/main.ts');

export const startController = async (processes: Processes, folder: string): Promise<RunningController> => {
  const start = async (): Promise<ChildProcess> => {
    const child = processes.start('controller', process.execPath, main, '--storage', `sqlite:${join(folder, 'network.db')}`);
    await until('the controller answers', async () => {
      await processes.run('curl', '--silent', '--fail', '--insecure', 'https://127.0.0.1:1280/version');
      return true;
    });
    return child;
  };
  let child = await start();
  return {
    killAndRestart: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
      child = await start();
    },
    used: () => {
      const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
      if (!existsSync(`/proc/${child.pid}/stat`)) return undefined;
      const [user = 0, system = 0] = read('stat').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
      const [, resident = '0'] = /VmRSS:\s+(\d+)/.exec(read('status')) ?? [];
      return { processorMs: (user + system) * MS_OF_TICK, mebibytes: Math.round(Number(resident) / 1024) };
    },
  };
};

/** What Linux counts processor time in. */
const MS_OF_TICK = 10;

const MOST_SECONDS = 60;

/** Waits until something is so; what throws is not so yet. @throws Error after a minute */
export const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + MOST_SECONDS * 1000;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > end) throw new Error(`after ${MOST_SECONDS} s it is not so that ${what}`);
    await pause(100);
  }
};
