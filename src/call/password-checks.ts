import { ApiError } from '../contract/errors/index.ts';
import { type Applicant, createFairSemaphore, type FairSemaphore } from '../runtime/concurrency/fair-semaphore.ts';
import { tooManyRequests } from '../runtime/concurrency/semaphore.ts';
import type { Observation } from '../runtime/observability/observation.ts';
import { networkOf } from '../runtime/platform/addresses.ts';
import type { PasswordHasher, Platform } from '../runtime/platform/platform.ts';
import type { Settings } from './settings.ts';

/** The call that hashes or verifies a password. */
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

/** Verifies a password against a hash. Without a hash, it takes as long and fails, so that timing reveals nothing. */
export type CheckPassword = (password: string, hash: string | undefined) => Promise<PasswordVerdict>;

/**
 * Hashes and verifies passwords. Concurrency is limited and shared fairly among client addresses, unknown usernames take as long as known
 * ones, and checks for aborted requests are not started.
 */
export interface PasswordChecks extends Pick<FairSemaphore, 'running' | 'waiting'> {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the call is displaced from the queue, or times out in it */
  hash(requester: Requester, password: string): Promise<string>;
  /**
   * Verifies a password of a username. Guesses for one username run one at a time, so that a burst cannot outrun the count of failures.
   * This applies to unknown usernames, too, so that timing does not reveal which usernames exist.
   * @param belongsToAdministrator whether the username is an administrator's. Called only if the guess has to wait: every ten seconds, one
   * such guess skips the queue
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` like `hash`, before `work` begins
   */
  guess<T>(
    requester: Requester,
    username: string,
    belongsToAdministrator: () => Promise<boolean>,
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
    const isMatch = await passwords.verify(password, hash ?? (await (dummy ??= passwords.hash(DUMMY_PASSWORD))));
    if (!isMatch || hash === undefined) return { isRight: false };
    signal.throwIfAborted();
    return { isRight: true, ...(await renewed(passwords, password, hash)) };
  };

  /** A call that times out in the queue gets the same error as one that found the queue full, because its work never began. */
  const enqueue = async <T>({ observation }: Requester, applicant: Applicant, work: (release: () => void) => Promise<T>): Promise<T> => {
    let hasBegun = false;
    const endWait = observation?.wait();
    try {
      return await semaphore.run(applicant, (release) => {
        hasBegun = true;
        endWait?.();
        return work(release);
      });
    } catch (error) {
      if (!hasBegun && error instanceof ApiError && error.code === 'TIMEOUT') throw tooManyRequests();
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
    guess: (requester, username, belongsToAdministrator, work) => {
      const { remoteAddress, signal, isJoined } = requester;
      if (isJoined) return work((password, hash) => check(password, hash, signal));
      const isUrgent = async () => {
        if (!mayBeUrgent() || !(await belongsToAdministrator()) || !mayBeUrgent()) return false;
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
