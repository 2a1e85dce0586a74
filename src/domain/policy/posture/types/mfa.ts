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
  /** ms; undefined when no code was passed. */
  readonly passedAt: number | undefined;
  readonly timedOut: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  /** When it fails unless a code comes: the earliest of the timeout and the ends of grace periods that run. Undefined when never. ms */
  readonly failsAt: number | undefined;
}

/** A time that was not reported, or that is none, is undefined. */
const time = (text: string | null | undefined): number | undefined => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
};

/** The end of the grace period that something began, if the check watches it and no code came after it. */
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

/** Seconds that are left, -1 when there is no end. Without a code none are left. */
const remaining = ({ timeoutSeconds }: MfaCheck, { passedAt, failsAt }: State, now: number): number => {
  if (passedAt === undefined) return timeoutSeconds > 0 ? 0 : -1;
  return failsAt === undefined ? -1 : Math.max(0, Math.ceil((failsAt - now) / SECOND));
};

/** Clients that understand the time that is left. */
const UNDERSTANDING = { type: 'ziti-sdk-c', since: '0.25.0' } as const;

const understandsTime = ({ session }: Facts): boolean => {
  const version = readVersion((session?.sdkInfo?.version ?? '').replace(/^v/, ''));
  return session?.sdkInfo?.type === UNDERSTANDING.type && version !== undefined && compare(version, UNDERSTANDING.since) >= 0;
};

/** The API session has passed a code, not too long ago, and again within the grace period after each event that the check watches. */
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
    // Where the timeout ends before the grace period does, the event changes nothing.
    const endsAnyway = check.timeoutSeconds > 0 && passedAt + check.timeoutSeconds * SECOND - now <= GRACE_PERIOD;
    return endsAnyway ? undefined : { timeout: check.timeoutSeconds, timeoutRemaining: GRACE_PERIOD / SECOND };
  },
};
