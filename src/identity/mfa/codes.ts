import { identityOf } from '../../call/actor.ts';
import { mfaOf } from '../../call/authentication/factors.ts';
import type { Call } from '../../call/call.ts';
import type { Settings } from '../../call/settings.ts';
import { mfa } from '../../contract/api/mfa.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { allRecoveryCodes, indexOfCode, notEnrolled, type StoredMfa, totpSecretOf } from './record.ts';
import { acceptedIntervals, intervalOfCode } from './totp.ts';

/** The codes that a purpose accepts, and the error if there is no suitable enrollment. */
interface Purpose {
  /** The required state of the MFA enrollment. With `any`, an unverified enrollment needs no code. */
  readonly state: 'unverified' | 'verified' | 'any';
  /** Accepts recovery codes, too. */
  readonly recoveryCodes: boolean;
  /** Accepts each code of the app only once (RFC 6238, section 5.2). */
  readonly once: boolean;
  /** The error if there is no enrollment in this state. */
  readonly missing: () => ApiError;
}

// biome-ignore format: a table
const purposes = {
  login:   { state: 'verified',   recoveryCodes: true,  once: true,  missing: () => new ApiError('MFA_NOT_ENROLLED') },
  verify:  { state: 'unverified', recoveryCodes: false, once: false, missing: notEnrolled },
  view:    { state: 'verified',   recoveryCodes: false, once: false, missing: notEnrolled },
  replace: { state: 'verified',   recoveryCodes: true,  once: false, missing: notEnrolled },
  prove:   { state: 'verified',   recoveryCodes: false, once: false, missing: () => new ApiError('MFA_NOT_ENROLLED') },
  end:     { state: 'any',        recoveryCodes: true,  once: false, missing: notEnrolled },
} as const satisfies Record<string, Purpose>;

/**
 * Runs `work` if the code is correct. Everything runs in one transaction, so that a code cannot be used twice concurrently, not even at two
 * controllers. `work` receives the fields that record the use of the code.
 * @throws ApiError `MFA_INVALID_TOKEN`; `SERVER_TOO_MANY_REQUESTS` after too many wrong codes, even for a correct one; the purpose's error
 * if there is no suitable enrollment
 * @param identityId the identity whose code it is; default: the actor's own identity
 */
export const withCode = async <T>(
  call: Call,
  purpose: keyof typeof purposes,
  presentedCode: string | undefined,
  work: (entities: Entities, row: StoredMfa, spent: Partial<StoredMfa>) => Promise<T>,
  identityId: string = identityOf(call.actor).id,
): Promise<T> => {
  const { state, missing, ...accepted }: Purpose = purposes[purpose];
  const code = presentedCode?.replace(/\s/g, ''); // apps show codes as `123 456`, some with U+00A0
  const outcome = await call.write(async (entities): Promise<T | ApiError> => {
    const row = await mfaOf(entities, identityId);
    if (!row || (state !== 'any' && row.isVerified !== (state === 'verified'))) throw missing();
    if (state === 'any' && !row.isVerified) return work(entities, row, {});
    if (!code) return new ApiError('MFA_INVALID_TOKEN');
    const now = call.core.platform.clock.now();
    const retryAfter = secondsToWait(call.core.settings, row, now);
    if (retryAfter > 0) return tooManyWrongCodes(call.core.settings, retryAfter);
    const spent = await fieldsAfterUse(call, row, code, accepted, now);
    if (spent) return work(entities, row, spent);
    await entities.update(mfa, row, { wrongCodesAt: [...recentWrongCodes(call.core.settings, row, now), call.now()] });
    return new ApiError('MFA_INVALID_TOKEN');
  });
  // Not thrown inside the transaction, which would roll back the count of wrong codes.
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
};

/**
 * The fields that record the use of a correct code; undefined for a wrong code. Always performs all comparisons, so that timing reveals
 * nothing.
 */
const fieldsAfterUse = async (
  { core }: Call,
  row: StoredMfa,
  code: string,
  { recoveryCodes, once }: Pick<Purpose, 'recoveryCodes' | 'once'>,
  now: number,
): Promise<Partial<StoredMfa> | undefined> => {
  const interval = intervalOfCode(await totpSecretOf(core, row), code, now);
  const index = indexOfCode(await allRecoveryCodes(core, row), code);
  const acceptedNow = acceptedIntervals(now);
  const spentIntervals = (row.spentIntervals ?? []).filter((spent) => acceptedNow.includes(spent));
  const spentRecoveryCodes = row.spentRecoveryCodes ?? [];
  const isReplayed = once && interval !== undefined && spentIntervals.includes(interval);
  if (interval !== undefined && !isReplayed) return { spentIntervals: [...spentIntervals, interval] };
  if (recoveryCodes && index !== undefined && !spentRecoveryCodes.includes(index))
    return { spentRecoveryCodes: [...spentRecoveryCodes, index] };
  return undefined;
};

/** The time for which a wrong code is counted. ms */
const windowOf = ({ wrongCodeMinutes }: Settings): number => wrongCodeMinutes * MINUTE;

/** The times of the wrong codes that are still counted. */
const recentWrongCodes = (settings: Settings, { wrongCodesAt }: StoredMfa, now: number): readonly string[] =>
  (wrongCodesAt ?? []).filter((at) => Date.parse(at) > now - windowOf(settings));

/** Seconds until another attempt is allowed; 0 if one is allowed now. */
const secondsToWait = (settings: Settings, row: StoredMfa, now: number): number => {
  const recent = recentWrongCodes(settings, row, now);
  const blocking = recent.at(-settings.maxWrongCodes);
  return blocking === undefined ? 0 : Math.ceil((Date.parse(blocking) + windowOf(settings) - now) / 1000);
};

const tooManyWrongCodes = ({ maxWrongCodes, wrongCodeMinutes }: Settings, retryAfter: number): ApiError =>
  new ApiError('SERVER_TOO_MANY_REQUESTS', {
    cause: { code: 'UNHANDLED', message: `${maxWrongCodes} wrong codes within ${wrongCodeMinutes} minutes` },
    retryAfter,
  });
