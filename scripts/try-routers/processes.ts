import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that run in one folder, and can be ended together. */
export interface Processes {
  /** Starts a long-running program whose output goes to NAME.log. */
  start(name: string, command: string, ...args: readonly string[]): ChildProcess;
  /** Runs a program. @returns its output @throws Error with its output if it fails */
  run(command: string, ...args: readonly string[]): Promise<string>;
  end(): void;
}

/** @param folder contains the programs, and receives all files that they write */
export const createProcesses = (folder: string): Processes => {
  const started: ChildProcess[] = [];
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder, ADMIN_PASSWORD: 'administrator' };
  return {
    start: (name, command, ...args) => {
      const log = openSync(join(folder, `${name}.log`), 'a');
      // Starts a new process group, so that child processes of the program end with it.
      const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', log, log], detached: true });
      started.push(child);
      return child;
    },
    run: async (command, ...args) => {
      const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      started.push(child);
      const ended = new Promise<number | null>((done) => child.once('exit', done));
      // Background processes of the program may keep the pipes open, so their end is not awaited.
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
          // The process has already ended.
        }
    },
  };
};

const collected = (stream: NodeJS.ReadableStream): (() => string) => {
  let output = '';
  stream.on('data', (part) => {
    output += part;
  });
  return () => output;
};
