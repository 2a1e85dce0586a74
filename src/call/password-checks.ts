import type { PasswordHasher } from '../platform/platform.ts';
import { createGate, createKeyedGate } from './gate.ts';
import type { Settings } from './settings.ts';

/** Password checks of one controller: few at a time, and no sooner over for a username that does not exist. */
export interface PasswordChecks {
  /** Compares with the hash; with none, does the same work in vain. @throws ApiError `SERVER_TOO_MANY_REQUESTS` */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Runs logins with one username one after another. @throws ApiError `SERVER_TOO_MANY_REQUESTS` */
  forUsername<T>(username: string, work: () => Promise<T>): Promise<T>;
}

export const createPasswordChecks = (passwords: PasswordHasher, settings: Settings): PasswordChecks => {
  const gate = createGate(settings.maxPasswordChecks, settings.maxQueuedPasswordChecks);
  const perUsername = createKeyedGate(settings.maxQueuedPasswordChecks);
  let dummy: Promise<string> | undefined;
  return {
    verify: (password, hash) =>
      gate.pass(async () => {
        const against = hash ?? (await (dummy ??= passwords.hash('a password of nobody')));
        return (await passwords.verify(password, against)) && hash !== undefined;
      }),
    forUsername: (username, work) => perUsername(username).pass(work),
  };
};
