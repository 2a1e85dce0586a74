import { decode } from 'jose/base64url';
import { readPointer, valueAtPointer } from '../../query/json-pointer.ts';

/** A parsed signed token (JWT, RFC 7519). Nothing in it has been verified. */
export interface Jwt {
  /** The token as presented. */
  readonly text: string;
  readonly algorithm: string;
  readonly kid: string;
  readonly claims: Claims;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Maximum length of a token in characters: the limit of request headers. */
export const MAX_TOKEN = 16_384;
/** Maximum number of tokens that are read from a request. */
const MAX_TOKENS = 2;

/** Compact serialization: header, claims and signature in base64url. */
const COMPACT_FORM = /^([\w-]+)\.([\w-]+)\.[\w-]+$/;

const BEARER = /^bearer +(.*)$/i;

/** The tokens in comma-joined `Authorization` headers with the case-insensitive scheme `Bearer` (RFC 9110, 11.1), at most two. */
export const bearerTokens = (authorization: string | undefined): readonly string[] =>
  (authorization ?? '')
    .split(',')
    .flatMap((value) => BEARER.exec(value.trim())?.[1] ?? [])
    .slice(0, MAX_TOKENS);

/**
 * Parses a signed token in compact form.
 * @returns undefined for any other text, and for a token without `kid` or with critical extensions (`crit`)
 */
export const readToken = (text: string): Jwt | undefined => {
  const [, head = '', body = ''] = (text.length <= MAX_TOKEN && COMPACT_FORM.exec(text)) || [];
  const header = objectOf(head);
  const claims = objectOf(body);
  if (!header || !claims || 'crit' in header) return undefined;
  const [algorithm, kid] = [stringClaim(header, 'alg'), stringClaim(header, 'kid')];
  return algorithm === undefined || kid === undefined ? undefined : { text, algorithm, kid, claims };
};

/** The value of a claim if it is a non-empty string that every store accepts; otherwise undefined. */
export const stringClaim = (claims: Claims, name: string): string | undefined =>
  Object.hasOwn(claims, name) ? textIn(claims[name]) : undefined;

/** Like `stringClaim`, for the claim that a selector identifies. */
export const stringClaimAt = (claims: Claims, selector: string): string | undefined => textIn(claimAt(claims, selector));

/**
 * The value that a selector identifies: that of a claim, or that at a JSON Pointer. A selector without a leading `/` is the name of a claim
 * if such a claim exists, and otherwise a pointer without its first `/`: `https://idp.example/role`, `roles`, `realm/roles`.
 */
export const claimAt = (claims: Claims, selector: string): unknown => {
  if (!selector.startsWith('/') && Object.hasOwn(claims, selector)) return claims[selector];
  const keys = readPointer(pointerOf(selector));
  return keys && valueAtPointer(claims, keys);
};

/** True if a selector, with a leading `/`, is a valid JSON Pointer. */
export const isSelector = (selector: string): boolean => readPointer(pointerOf(selector)) !== undefined;

const pointerOf = (selector: string): string => (selector.startsWith('/') ? selector : `/${selector}`);

/** The value if it is a non-empty string that every store accepts; otherwise undefined. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\u0000') ? value : undefined;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const objectOf = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(utf8.decode(decode(part)));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined; // a JSON object
  } catch {
    return undefined;
  }
};
