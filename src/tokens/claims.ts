import type { Reading } from '../pki/pem.ts';
import { type Claims, stringClaimAt } from './token.ts';

/** The values that the claims of a signer's tokens must have. */
export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  /** Selects the claim that identifies the bearer (`claimAt`). */
  readonly claimsProperty: string;
}

/** A fault in the claims of a token. `claim`: it lacks an expiry, or the claim that identifies the bearer. */
export type ClaimFault = 'issuer' | 'audience' | 'expired' | 'not-yet-valid' | 'claim';

/** Maximum clock skew between the signer and this controller. ms */
const TOLERANCE = 60_000;

/**
 * Validates the claims of a token and identifies its bearer (RFC 7519, section 4.1): issuer and audience must match exactly, `exp` must be in the future,
 * and `nbf` and `iat` must not, within a tolerance.
 * @param now ms
 * @returns the value of the claim that identifies the bearer, or the first fault
 */
export const subjectOf = (claims: Claims, { issuer, audience, claimsProperty }: Expected, now: number): Reading<string, ClaimFault> => {
  const { iss, aud, exp, nbf, iat } = claims;
  if (iss !== issuer) return { fault: 'issuer' };
  if (!(Array.isArray(aud) ? aud.includes(audience) : aud === audience)) return { fault: 'audience' };
  if (!isTime(exp)) return { fault: 'claim' };
  if (now >= exp * 1000 + TOLERANCE) return { fault: 'expired' };
  if (!hasBegun(nbf, now) || !hasBegun(iat, now)) return { fault: 'not-yet-valid' };
  const subject = stringClaimAt(claims, claimsProperty);
  return subject === undefined ? { fault: 'claim' } : { value: subject };
};

const isTime = (value: unknown): value is number => Number.isFinite(value);

const hasBegun = (seconds: unknown, now: number): boolean =>
  seconds === undefined || (isTime(seconds) && seconds * 1000 <= now + TOLERANCE);
