import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that run in one folder, and end with this one. */
export interface Processes {
  /** Starts a long-running program, with its output in NAME.log. */
  start(name: string, command: string, ...args: readonly string[]): ChildProcess;
  /** Runs a program. @returns what it says. @throws Error when it fails, with what it said */
  run(command: string, ...args: readonly string[]): Promise<string>;
  end(): void;
}

/** @param folder has the programs that are tried, and gets all that they write */
export const createProcesses = (folder: string): Processes => {
  const started: ChildProcess[] = [];
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder, ADMIN_PASSWORD: 'administrator' };
  return {
    start: (name, command, ...args) => {
      const log = openSync(join(folder, `${name}.log`), 'a');
      // A group of its own, so that what it starts ends with it.
      const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', log, log], detached: true });
      started.push(child);
      return child;
    },
    run: async (command, ...args) => {
      const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      started.push(child);
      const ended = new Promise<number | null>((done) => child.once('exit', done));
      // Its background processes may keep the pipes open.
      const [out, err] = [collected(child.stdout), collected(child.stderr)];
      const code = await ended;
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${out()}${err()}`);
      return out();
    },
    end: () => {
      for (const { pid } of started)
        try {
          if (pid) process.kill(-pid, 'SIGKILL');
        } catch {
          // It has ended already.
        }
    },
  };
};

const collected = (stream: NodeJS.ReadableStream): (() => string) => {
  let said = '';
  stream.on('data', (part) => {
    said += part;
  });
  return () => said;
};
