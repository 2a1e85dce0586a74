import { type Applicant, createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { tooManyRequests } from '../concurrency/semaphore.ts';
import { ApiError } from '../errors/index.ts';
import type { Observation } from '../observability/observation.ts';
import { networkOf } from '../platform/addresses.ts';
import type { PasswordHasher, Platform } from '../platform/platform.ts';
import type { Settings } from './settings.ts';

/** The call that a password is checked for. */
interface By {
  readonly remoteAddress: string;
  readonly signal: AbortSignal;
  readonly isJoined: boolean;
  readonly observation: Observation | undefined;
}

/** The result of verifying a password against a hash. */
export interface PasswordVerdict {
  readonly isRight: boolean;
  /** The right password by today's parameters, where those of the hash are outdated. */
  readonly renewedHash?: string;
}

/** Holds a password against a hash; with none, does the same work in vain. */
export type CheckPassword = (password: string, hash: string | undefined) => Promise<PasswordVerdict>;

/**
 * Hashes and verifies passwords. Concurrency is limited and fair by client address, unknown usernames take as long as known ones, and work is
 * done only while its request is waiting.
 */
export interface PasswordChecks extends Pick<FairSemaphore, 'running' | 'waiting'> {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` when its place in the queue is lost to others, or its time is over while it waits */
  hash(by: By, password: string): Promise<string>;
  /**
   * Verifies a password of a username. Guesses for one username run one at a time, so that a burst cannot outrun the count of failures; for unknown
   * usernames too, lest timing reveal which ones exist.
   * @param isAdministrators called when the guess has to wait: every ten seconds, one guess for an administrator takes precedence (as in the field)
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` as `hash`, before any other work
   */
  guess<T>(by: By, username: string, isAdministrators: () => Promise<boolean>, work: (check: CheckPassword) => Promise<T>): Promise<T>;
}

/** Between guesses for administrators that go before all others. ms */
const URGENT_EVERY = 10_000;

export const createPasswordChecks = ({ passwords, clock }: Pick<Platform, 'passwords' | 'clock'>, settings: Settings): PasswordChecks => {
  const semaphore = createFairSemaphore({
    atOnce: settings.maxPasswordChecks,
    queued: settings.maxQueuedPasswordChecks,
    queuedPerName: settings.maxQueuedPasswordChecksPerName,
  });
  // Created immediately, so that the first unknown username takes no longer than the second. Retried on demand if this fails.
  let dummy: Promise<string> | undefined = passwords.hash(DUMMY_PASSWORD);
  dummy.catch(() => {
    dummy = undefined;
  });
  let urgentAt = Number.NEGATIVE_INFINITY;
  const mayBeUrgent = () => clock.now() - urgentAt >= URGENT_EVERY;

  const check = async (password: string, hash: string | undefined, signal: AbortSignal): Promise<PasswordVerdict> => {
    signal.throwIfAborted();
    const isSame = await passwords.verify(password, hash ?? (await (dummy ??= passwords.hash(DUMMY_PASSWORD))));
    if (!isSame || hash === undefined) return { isRight: false };
    signal.throwIfAborted();
    return { isRight: true, ...(await renewed(passwords, password, hash)) };
  };

  /** Work that waited out its time was never begun: that is a full queue to its client, and no failure. */
  const pass = async <T>({ observation }: By, applicant: Applicant, work: (over: () => void) => Promise<T>): Promise<T> => {
    let isBegun = false;
    const admitted = observation?.wait();
    try {
      return await semaphore.run(applicant, (over) => {
        isBegun = true;
        admitted?.();
        return work(over);
      });
    } catch (error) {
      if (!isBegun && error instanceof ApiError && error.code === 'TIMEOUT') throw tooManyRequests();
      throw error;
    }
  };

  return {
    get running() {
      return semaphore.running;
    },
    get waiting() {
      return semaphore.waiting;
    },
    hash: (by, password) =>
      // A call in a transaction of the host does not queue: calls ahead of it may wait for that transaction.
      by.isJoined
        ? passwords.hash(password)
        : pass(by, { from: networkOf(by.remoteAddress), signal: by.signal }, () => passwords.hash(password)),
    guess: (by, username, isAdministrators, work) => {
      const { remoteAddress, signal, isJoined } = by;
      if (isJoined) return work((password, hash) => check(password, hash, signal));
      const isUrgent = async () => {
        if (!mayBeUrgent() || !(await isAdministrators()) || !mayBeUrgent()) return false;
        urgentAt = clock.now();
        return true;
      };
      return pass(by, { from: networkOf(remoteAddress), name: username, signal, isUrgent }, (over) =>
        work((password, hash) => check(password, hash, signal).finally(over)),
      );
    },
  };
};

const DUMMY_PASSWORD = 'the password of no identity';

const renewed = async (passwords: PasswordHasher, password: string, hash: string): Promise<Pick<PasswordVerdict, 'renewedHash'>> =>
  passwords.isOutdated(hash) ? { renewedHash: await passwords.hash(password) } : {};
