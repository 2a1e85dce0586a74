import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from './processes.ts';
import { until } from './until.ts';

/** Resource usage of a process. */
export interface ResourceUsage {
  readonly processorMs: number;
  readonly mebibytes: number;
}

/** A controller in a separate process. */
export interface RunningController {
  /** Kills the process, and waits until it has ended. */
  kill(): Promise<void>;
  /** Kills the process, starts it again on the same database, and waits until it responds. */
  killAndRestart(): Promise<void>;
  /** The resource usage of the process; undefined if there is no `/proc`. */
  used(): ResourceUsage | undefined;
}

/** The command for the tested controller: the example server, on SQLite. */
export const exampleServer = (database: string) => [
  process.execPath,
  join(import.meta.dirname, '../../server/main.ts'),
  '--storage',
  `sqlite:${database}`,
];

/** @param command the command that starts the controller @param port the port of its API */
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
      return { processorMs: (user + system) * MS_PER_TICK, mebibytes: Math.round(Number(resident) / 1024) };
    },
  };
};

/** Linux's unit of processor time. */
const MS_PER_TICK = 10;
