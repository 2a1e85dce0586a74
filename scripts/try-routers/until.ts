import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_SECONDS = 60;

/** Waits until a condition is true. A condition that throws counts as false. @throws Error after a minute */
export const until = async (description: string, isTrue: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + TIMEOUT_SECONDS * 1000;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > end) throw new Error(`after ${TIMEOUT_SECONDS} s it is not so that ${description}`);
    await pause(100);
  }
};
