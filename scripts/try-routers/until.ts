import { setTimeout as pause } from 'node:timers/promises';

const MOST_SECONDS = 60;

/** Waits until something is so; what throws is not so yet. @throws Error after a minute */
export const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + MOST_SECONDS * 1000;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > end) throw new Error(`after ${MOST_SECONDS} s it is not so that ${what}`);
    await pause(100);
  }
};
