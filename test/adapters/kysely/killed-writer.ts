import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Runs a writer until it is killed in the middle of its work. @returns the ids that it was told are stored. */
export const killedWriter = async (place: string, round: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, [new URL('./kill-writer.ts', import.meta.url).pathname, place, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  for await (const id of createInterface(child.stdout)) {
    if (acknowledged.push(id) === 1) setTimeout(() => child.kill('SIGKILL'), 20 + Math.random() * 80);
  }
  return acknowledged;
};
