import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from './processes.ts';
import { until } from './until.ts';

/** Resource usage of a process. */
export interface Used {
  readonly processorMs: number;
  readonly mebibytes: number;
}

/** A controller in a process of its own. */
export interface RunningController {
  /** Kills the process. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Kills it, and starts it again on its database. Resolves when it answers. */
  killAndRestart(): Promise<void>;
  /** Nothing where there is no /proc. */
  used(): Used | undefined;
}

/** The controller that is tried: the example server, on SQLite. */
export const exampleServer = (database: string) => [
  process.execPath,
  join(import.meta.dirname, '../../server/main.ts'),
  '--storage',
  `sqlite:${database}`,
];

/** @param command starts it @param port of its API */
export const startController = async (processes: Processes, command: readonly string[], port = 1280): Promise<RunningController> => {
  const start = async (): Promise<ChildProcess> => {
    const [program = '', ...args] = command;
    const child = processes.start('controller', program, ...args);
    await until('the controller answers', async () => {
      await processes.run('curl', '--silent', '--fail', '--insecure', `https://127.0.0.1:${port}/version`);
      return true;
    });
    return child;
  };
  let child = await start();
  const kill = async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    kill,
    killAndRestart: async () => {
      await kill();
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

/** The unit of processor time in Linux. */
const MS_OF_TICK = 10;
