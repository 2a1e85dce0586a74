import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import { answers, type Former } from './former-controller.ts';
import { PORTS } from './trial.ts';

/** The command `overlay-controller` of this repository. */
export const SERVER = [process.execPath, join(import.meta.dirname, '../../server/main.ts')] as const;
const [NODE, MAIN] = SERVER;

export type Run = (...args: readonly string[]) => Promise<string>;

/**
 * Runs `overlay-controller adopt` with the configuration of the former controller.
 * @throws Error with its output, unless it exits with 0
 */
export const adopting =
  (processes: Processes): Run =>
  (...args) =>
    processes.run(NODE, MAIN, 'adopt', ...args);

export const withConfigOf = ({ config }: Former) => ['--config', config] as const;

/** Starts a server with the command that `adopt` has printed. */
export const startOurs = async (processes: Processes, printed: string): Promise<ChildProcess> => {
  const args = argumentsIn(printed);
  const child = processes.start('ours', NODE, MAIN, ...args);
  await until('our server answers', () => answers(processes));
  return child;
};

/** Starts another server, at other ports, and on another database if one is given. */
export const startSecond = async (processes: Processes, printed: string, storage?: string): Promise<ChildProcess> => {
  const others = {
    '--port': String(PORTS.second),
    '--router-port': String(PORTS.secondControl),
    ...(storage !== undefined && { '--storage': storage }),
  };
  const without = [...Object.keys(others), '--controller-id'];
  const child = processes.start('second', NODE, MAIN, ...argumentsIn(printed, without), ...Object.entries(others).flat());
  await until('the second server answers', () => answers(processes, PORTS.second));
  return child;
};

/** The command that `adopt` has printed, without some options and their values. */
const argumentsIn = (printed: string, without: readonly string[] = []): readonly string[] => {
  const [, line = ''] = printed.split('npx overlay-controller ');
  const args = line.trim().split(' ');
  return args.filter((arg, i) => !without.includes(arg) && !without.includes(args[i - 1] ?? ''));
};
