import type { Reading } from '../pki/pem.ts';
import { type Claims, stringClaimAt } from './token.ts';

/** The claims that tokens of a signer must have. */
export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  /** The claim that says who it is: a name, or a JSON Pointer. */
  readonly claimsProperty: string;
}

/** What may be wrong with the claims of a token; `claim`: it has no end, or does not say who its bearer is. */
export type ClaimFault = 'issuer' | 'audience' | 'expired' | 'not-yet-valid' | 'claim';

/** How far the signer's clock and this one may be apart. ms */
const TOLERANCE = 60_000;

/**
 * Who the bearer of a token is, if its claims hold (RFC 7519, section 4.1): the issuer and the audience to the letter, an end that is not over, no
 * beginning and no birth in the future.
 * @param now ms
 * @returns the text of the claim that says who it is, or the first fault
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
