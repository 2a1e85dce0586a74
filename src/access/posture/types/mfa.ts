import compare from 'semver/functions/compare.js';
import { FOREVER } from '../../../query/dates.ts';
import { readVersion } from '../../../query/semver/range.ts';
import type { CheckType } from '../check-type.ts';
import type { Facts, PostureCheckOf } from '../facts.ts';
import { withListedVersions } from '../operating-systems.ts';

type MfaCheck = PostureCheckOf<'MFA'>;

const SECOND = 1000;
/** Time after waking or unlocking within which the session must pass a new code (specification, "States and transitions"). ms */
const GRACE_PERIOD = 300 * SECOND;

interface MfaState {
  /** ms since 1970; undefined if the session has not passed a code. */
  readonly passedAt: number | undefined;
  readonly timedOut: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  /** When the check fails without a new code: the timeout or the end of a grace period. ms since 1970; undefined if never. */
  readonly failsAt: number | undefined;
}

/** @returns ms since 1970; undefined for a time that is missing or invalid */
const parseTime = (text: string | null | undefined): number | undefined => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
};

/** The end of the grace period after an event, if the check watches the event and no code has been passed since. ms since 1970 */
const graceEnd = (watches: boolean | null, at: number | undefined, passedAt: number | undefined): number | undefined =>
  watches && at !== undefined && passedAt !== undefined && at >= passedAt ? at + GRACE_PERIOD : undefined;

const mfaStateOf = ({ timeoutSeconds, promptOnWake, promptOnUnlock }: MfaCheck, facts: Facts, now: number): MfaState => {
  const passedAt = parseTime(facts.session?.mfaPassedAt);
  const timeoutAt = timeoutSeconds > 0 && passedAt !== undefined ? passedAt + timeoutSeconds * SECOND : undefined;
  const wakeEnd = graceEnd(promptOnWake, parseTime(facts.session?.wokenAt), passedAt);
  const unlockEnd = graceEnd(promptOnUnlock, parseTime(facts.session?.unlockedAt), passedAt);
  const isOver = (end: number | undefined) => end !== undefined && now > end;
  const passed = (watches: boolean | null, end: number | undefined) => !watches || (passedAt !== undefined && !isOver(end));
  const ends = [timeoutAt, wakeEnd, unlockEnd].filter((end) => end !== undefined);
  return {
    passedAt,
    timedOut: passedAt === undefined || isOver(timeoutAt),
    passedOnWake: passed(promptOnWake, wakeEnd),
    passedOnUnlock: passed(promptOnUnlock, unlockEnd),
    failsAt: ends.length === 0 ? undefined : Math.min(...ends),
  };
};

/** The seconds until the check fails; -1 without a time limit, 0 if the check has a timeout and no code was passed. */
const remainingSeconds = ({ timeoutSeconds }: MfaCheck, { passedAt, failsAt }: MfaState, now: number): number => {
  if (passedAt === undefined) return timeoutSeconds > 0 ? 0 : -1;
  return failsAt === undefined ? -1 : Math.max(0, Math.ceil((failsAt - now) / SECOND));
};

/** The client, and its first version, that supports the remaining time. */
const TIME_AWARE_CLIENT = { type: 'ziti-sdk-c', since: '0.25.0' } as const;

const supportsRemainingTime = ({ session }: Facts): boolean => {
  const version = readVersion((session?.sdkInfo?.version ?? '').replace(/^v/, ''));
  return session?.sdkInfo?.type === TIME_AWARE_CLIENT.type && version !== undefined && compare(version, TIME_AWARE_CLIENT.since) >= 0;
};

/**
 * The API session must have passed a code within the timeout, and again within the grace period after each event that the check watches.
 */
export const mfaCheck: CheckType<MfaCheck> = {
  name: 'MFA Check',
  operatingSystems: withListedVersions('Android', 'Linux', 'Windows', 'iOS', 'macOS'),
  evaluate: (check, facts, now) => {
    const state = mfaStateOf(check, facts, now);
    const { timedOut, passedOnWake, passedOnUnlock } = state;
    const passedMfa = state.passedAt !== undefined;
    return {
      isPassing: passedMfa && !timedOut && passedOnWake && passedOnUnlock,
      ...(state.failsAt === undefined ? {} : { failsAt: state.failsAt }),
      expectedValue: {
        passedMfa: true,
        passedOnWake: check.promptOnWake ?? false,
        passedOnUnlock: check.promptOnUnlock ?? false,
        timedOut: false,
      },
      actualValue: { passedMfa, passedOnWake, passedOnUnlock, timedOut },
      extraProperties: {
        criteria: {
          passedMfaAt: facts.session?.mfaPassedAt ?? null,
          wokenAt: facts.session?.wokenAt ?? null,
          unlockedAt: facts.session?.unlockedAt ?? null,
          timeoutSeconds: check.timeoutSeconds,
          timeoutRemainingSeconds: passedMfa ? remainingSeconds(check, state, now) : 0,
        },
      },
    };
  },
  query: (check, facts, now) => {
    const state = mfaStateOf(check, facts, now);
    const timeoutRemaining = check.ignoreLegacyEndpoints && !supportsRemainingTime(facts) ? -1 : remainingSeconds(check, state, now);
    const { wokenAt, unlockedAt } = facts.session ?? {};
    const watchedEvents = [check.promptOnWake ? wokenAt : undefined, check.promptOnUnlock ? unlockedAt : undefined];
    const times = [check.updatedAt, ...watchedEvents.flatMap((at) => at ?? [])];
    return {
      updatedAt: times.sort().at(-1) ?? check.updatedAt,
      timeout: check.timeoutSeconds,
      timeoutRemaining,
      ...(timeoutRemaining < 0 ? {} : { timeoutAt: new Date(Math.min(state.failsAt ?? now, FOREVER)).toISOString() }),
      ...(check.promptOnWake ? { promptOnWake: true } : {}),
      ...(check.promptOnUnlock ? { promptOnUnlock: true } : {}),
    };
  },
  notice: (check, facts, { woken, unlocked }, now) => {
    const passedAt = parseTime(facts.session?.mfaPassedAt);
    const isWatched = (check.promptOnWake && woken) || (check.promptOnUnlock && unlocked);
    if (!isWatched || passedAt === undefined) return undefined;
    // If the timeout expires before the grace period, the event makes no difference.
    const expiresFirst = check.timeoutSeconds > 0 && passedAt + check.timeoutSeconds * SECOND - now <= GRACE_PERIOD;
    return expiresFirst ? undefined : { timeout: check.timeoutSeconds, timeoutRemaining: GRACE_PERIOD / SECOND };
  },
};
