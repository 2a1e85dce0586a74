import type { PasswordHasher } from '../platform/platform.ts';
import { createGate, createLine, type Line } from './gate.ts';
import type { Settings } from './settings.ts';

/** The work on passwords of one controller: little at a time, and no sooner over for a username that does not exist. */
export interface PasswordChecks {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` */
  hash(password: string): Promise<string>;
  /** Compares with the hash; with none, does the same work in vain. @throws ApiError `SERVER_TOO_MANY_REQUESTS` */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Those who try a password of one username, in the order in which they came. */
  readonly line: Line;
}

export const createPasswordChecks = (passwords: PasswordHasher, settings: Settings): PasswordChecks => {
  const gate = createGate(settings.maxPasswordChecks, settings.maxQueuedPasswordChecks);
  // Made at once, so that the first unknown username takes no longer than the second. It is asked for again should this fail.
  let dummy: Promise<string> | undefined = passwords.hash('a password of nobody');
  dummy.catch(() => {
    dummy = undefined;
  });
  return {
    hash: (password) => gate.pass(() => passwords.hash(password)),
    verify: (password, hash) =>
      gate.pass(async () => {
        const against = hash ?? (await (dummy ??= passwords.hash('a password of nobody')));
        return (await passwords.verify(password, against)) && hash !== undefined;
      }),
    line: createLine(settings.maxQueuedPasswordChecks),
  };
};
