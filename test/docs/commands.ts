import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { root } from './documents.ts';

/** Runs lines of a guide, with the command of this tree. @returns what they print */
export const commands = (folder: string, lines: string, environment: Readonly<Record<string, string>> = {}): string => {
  const program = `npx() { shift; '${process.execPath}' '${join(root, 'server/main.ts')}' "$@"; }\nset -e\n${lines}`;
  return execFileSync('sh', ['-c', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};
