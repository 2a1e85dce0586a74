import { type Claims, stringClaim } from './token.ts';

/** The claims that tokens of a signer must have. */
export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  /** Name of the claim that says who it is. */
  readonly claimsProperty: string;
}

/** How far the signer's clock and this one may be apart. ms */
const TOLERANCE = 60_000;

/**
 * Who the bearer of a token is, if its claims hold (RFC 7519, section 4.1): the issuer and the audience to the letter, an end that is not over, no
 * beginning and no birth in the future.
 * @param now ms
 * @returns the text of the claim that says who it is; undefined when any claim is amiss
 */
export const subjectOf = (claims: Claims, { issuer, audience, claimsProperty }: Expected, now: number): string | undefined => {
  const { iss, aud, exp, nbf, iat } = claims;
  const holds =
    iss === issuer &&
    (Array.isArray(aud) ? aud.includes(audience) : aud === audience) &&
    isTime(exp) &&
    now < exp * 1000 + TOLERANCE &&
    hasBegun(nbf, now) &&
    hasBegun(iat, now);
  return holds ? stringClaim(claims, claimsProperty) : undefined;
};

const isTime = (value: unknown): value is number => Number.isFinite(value);

const hasBegun = (seconds: unknown, now: number): boolean =>
  seconds === undefined || (isTime(seconds) && seconds * 1000 <= now + TOLERANCE);
