import { type Applicant, createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { tooManyRequests } from '../concurrency/semaphore.ts';
import { ApiError } from '../errors/index.ts';
import type { Observation } from '../observability/observation.ts';
import { networkOf } from '../platform/addresses.ts';
import type { PasswordHasher, Platform } from '../platform/platform.ts';
import type { Settings } from './settings.ts';

/** The call that has a password hashed or verified. */
interface Requester {
  readonly remoteAddress: string;
  readonly signal: AbortSignal;
  readonly isJoined: boolean;
  readonly observation: Observation | undefined;
}

/** The result of verifying a password against a hash. */
export interface PasswordVerdict {
  readonly isRight: boolean;
  /** A new hash of the right password, if the parameters of the old hash are outdated. */
  readonly renewedHash?: string;
}

/** Verifies a password against a hash. Without a hash, it does the same work and fails, so that timing reveals nothing. */
export type CheckPassword = (password: string, hash: string | undefined) => Promise<PasswordVerdict>;

/**
 * Hashes and verifies passwords. Concurrency is limited and shared fairly among client addresses, unknown usernames take as long as known ones, and work
 * for a request that no longer waits is not begun.
 */
export interface PasswordChecks extends Pick<FairSemaphore, 'running' | 'waiting'> {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the call is displaced from the queue, or times out in it */
  hash(requester: Requester, password: string): Promise<string>;
  /**
   * Verifies a password of a username. Guesses for one username run one at a time, so that a burst cannot outrun the count of failures. This applies to unknown
   * usernames, too, so that timing does not reveal which usernames exist.
   * @param isAdministrators whether the username is an administrator's. Called only if the guess has to wait: every ten seconds, one such guess skips the queue
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` like `hash`, before `work` begins
   */
  guess<T>(
    requester: Requester,
    username: string,
    isAdministrators: () => Promise<boolean>,
    work: (check: CheckPassword) => Promise<T>,
  ): Promise<T>;
}

/** Minimum time between two administrators' guesses that skip the queue. ms */
const URGENT_INTERVAL = 10_000;

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
  const mayBeUrgent = () => clock.now() - urgentAt >= URGENT_INTERVAL;

  const check = async (password: string, hash: string | undefined, signal: AbortSignal): Promise<PasswordVerdict> => {
    signal.throwIfAborted();
    const isSame = await passwords.verify(password, hash ?? (await (dummy ??= passwords.hash(DUMMY_PASSWORD))));
    if (!isSame || hash === undefined) return { isRight: false };
    signal.throwIfAborted();
    return { isRight: true, ...(await renewed(passwords, password, hash)) };
  };

  /** A call that times out in the queue is reported like one that found the queue full, because its work never began. */
  const enqueue = async <T>({ observation }: Requester, applicant: Applicant, work: (release: () => void) => Promise<T>): Promise<T> => {
    let isBegun = false;
    const admitted = observation?.wait();
    try {
      return await semaphore.run(applicant, (release) => {
        isBegun = true;
        admitted?.();
        return work(release);
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
    hash: (requester, password) =>
      // A call in a transaction of the host does not queue: calls ahead of it may wait for that transaction.
      requester.isJoined
        ? passwords.hash(password)
        : enqueue(requester, { from: networkOf(requester.remoteAddress), signal: requester.signal }, () => passwords.hash(password)),
    guess: (requester, username, isAdministrators, work) => {
      const { remoteAddress, signal, isJoined } = requester;
      if (isJoined) return work((password, hash) => check(password, hash, signal));
      const isUrgent = async () => {
        if (!mayBeUrgent() || !(await isAdministrators()) || !mayBeUrgent()) return false;
        urgentAt = clock.now();
        return true;
      };
      return enqueue(requester, { from: networkOf(remoteAddress), name: username, signal, isUrgent }, (release) =>
        work((password, hash) => check(password, hash, signal).finally(release)),
      );
    },
  };
};

const DUMMY_PASSWORD = 'the password of no identity';

const renewed = async (passwords: PasswordHasher, password: string, hash: string): Promise<Pick<PasswordVerdict, 'renewedHash'>> =>
  passwords.isOutdated(hash) ? { renewedHash: await passwords.hash(password) } : {};
