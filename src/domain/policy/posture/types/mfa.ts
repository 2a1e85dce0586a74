import compare from 'semver/functions/compare.js';
import { FOREVER } from '../../../../query/dates.ts';
import { readVersion } from '../../../../semver/range.ts';
import type { CheckType } from '../check-type.ts';
import type { Facts, PostureCheckOf } from '../facts.ts';
import { on } from '../operating-systems.ts';

type MfaCheck = PostureCheckOf<'MFA'>;

const SECOND = 1000;
/** How long a session may continue after waking or unlocking before it needs a new code (specification, "States and transitions"). ms */
const GRACE_PERIOD = 300 * SECOND;

interface State {
  /** ms; undefined if no code was passed. */
  readonly passedAt: number | undefined;
  readonly timedOut: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  /** When it fails unless a code is passed: the earliest of the timeout and the ends of current grace periods. Undefined if never. ms */
  readonly failsAt: number | undefined;
}

/** Parses a time; undefined if it was not reported or is invalid. */
const time = (text: string | null | undefined): number | undefined => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
};

/** The end of the grace period that an event started, if the check watches the event and no code was passed after it. */
const graceEnd = (watches: boolean | null, at: number | undefined, passedAt: number | undefined): number | undefined =>
  watches && at !== undefined && passedAt !== undefined && at >= passedAt ? at + GRACE_PERIOD : undefined;

const stateOf = ({ timeoutSeconds, promptOnWake, promptOnUnlock }: MfaCheck, facts: Facts, now: number): State => {
  const passedAt = time(facts.session?.mfaPassedAt);
  const timeoutAt = timeoutSeconds > 0 && passedAt !== undefined ? passedAt + timeoutSeconds * SECOND : undefined;
  const wakeEnd = graceEnd(promptOnWake, time(facts.session?.wokenAt), passedAt);
  const unlockEnd = graceEnd(promptOnUnlock, time(facts.session?.unlockedAt), passedAt);
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

/** The number of seconds left; -1 if there is no time limit. Without a passed code, a timeout leaves 0. */
const remaining = ({ timeoutSeconds }: MfaCheck, { passedAt, failsAt }: State, now: number): number => {
  if (passedAt === undefined) return timeoutSeconds > 0 ? 0 : -1;
  return failsAt === undefined ? -1 : Math.max(0, Math.ceil((failsAt - now) / SECOND));
};

/** Clients that understand the remaining time. */
const UNDERSTANDING = { type: 'ziti-sdk-c', since: '0.25.0' } as const;

const understandsTime = ({ session }: Facts): boolean => {
  const version = readVersion((session?.sdkInfo?.version ?? '').replace(/^v/, ''));
  return session?.sdkInfo?.type === UNDERSTANDING.type && version !== undefined && compare(version, UNDERSTANDING.since) >= 0;
};

/** The API session must have passed a code within the timeout, and again within the grace period after each event that the check watches. */
export const mfaCheck: CheckType<MfaCheck> = {
  name: 'MFA Check',
  operatingSystems: on('Android', 'Linux', 'Windows', 'iOS', 'macOS'),
  evaluate: (check, facts, now) => {
    const state = stateOf(check, facts, now);
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
      more: {
        criteria: {
          passedMfaAt: facts.session?.mfaPassedAt ?? null,
          wokenAt: facts.session?.wokenAt ?? null,
          unlockedAt: facts.session?.unlockedAt ?? null,
          timeoutSeconds: check.timeoutSeconds,
          timeoutRemainingSeconds: passedMfa ? remaining(check, state, now) : 0,
        },
      },
    };
  },
  query: (check, facts, now) => {
    const state = stateOf(check, facts, now);
    const timeoutRemaining = check.ignoreLegacyEndpoints && !understandsTime(facts) ? -1 : remaining(check, state, now);
    const { wokenAt, unlockedAt } = facts.session ?? {};
    const watched = [check.promptOnWake ? wokenAt : null, check.promptOnUnlock ? unlockedAt : null, check.updatedAt];
    return {
      updatedAt: watched.reduce((last: string, at) => (at && at > last ? at : last), check.updatedAt),
      timeout: check.timeoutSeconds,
      timeoutRemaining,
      ...(timeoutRemaining < 0 ? {} : { timeoutAt: new Date(Math.min(state.failsAt ?? now, FOREVER)).toISOString() }),
      ...(check.promptOnWake ? { promptOnWake: true } : {}),
      ...(check.promptOnUnlock ? { promptOnUnlock: true } : {}),
    };
  },
  notice: (check, facts, { woken, unlocked }, now) => {
    const passedAt = time(facts.session?.mfaPassedAt);
    const isWatched = (check.promptOnWake && woken) || (check.promptOnUnlock && unlocked);
    if (!isWatched || passedAt === undefined) return undefined;
    // If the timeout ends before the grace period, the event makes no difference.
    const endsAnyway = check.timeoutSeconds > 0 && passedAt + check.timeoutSeconds * SECOND - now <= GRACE_PERIOD;
    return endsAnyway ? undefined : { timeout: check.timeoutSeconds, timeoutRemaining: GRACE_PERIOD / SECOND };
  },
};
