import type { ExternalIdClaim } from '../../contract/api/cas.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import type { Certificate } from '../../crypto/pki/certificate.ts';
import { copyText } from '../../runtime/platform/copy-text.ts';

/** The names in a certificate that may contain an external id. */
export type Named = Pick<Certificate, 'commonName' | 'uris' | 'emails'>;

const locations: Readonly<Record<ExternalIdClaim['location'], (certificate: Named) => readonly string[]>> = {
  COMMON_NAME: ({ commonName }) => (commonName === undefined ? [] : [commonName]),
  SAN_URI: ({ uris }) => uris,
  SAN_EMAIL: ({ emails }) => emails,
};

/** The matching part of a value, or undefined if the value does not match. */
const matchers: Readonly<Record<ExternalIdClaim['matcher'], (value: string, criteria: string) => string | undefined>> = {
  ALL: (value) => value,
  PREFIX: (value, criteria) => (value.startsWith(criteria) ? value.slice(criteria.length) : undefined),
  SUFFIX: (value, criteria) => (value.endsWith(criteria) ? value.slice(0, value.length - criteria.length) : undefined),
  SCHEME: (value, criteria) => (schemeOf(value) === criteria.toLowerCase() ? value : undefined),
};

const parsers: Readonly<Record<ExternalIdClaim['parser'], (value: string, criteria: string) => readonly string[]>> = {
  NONE: (value) => [value],
  SPLIT: (value, criteria) => value.split(criteria),
};

/**
 * The external id in a certificate: matches the values at the location of the claim, parses those that match, and selects one of the parts.
 * Does not verify the certificate.
 * @returns undefined if the result is missing or blank
 */
export const externalIdOf = (certificate: Named, claim: ExternalIdClaim): string | undefined => {
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim;
  const parts = locations[location](certificate)
    .flatMap((value) => matchers[matcher](value, matcherCriteria) ?? [])
    .flatMap((value) => parsers[parser](value, parserCriteria));
  const externalId = parts[index];
  return externalId === undefined || externalId.trim() === '' ? undefined : copyText(externalId);
};

/** Schemes are case-insensitive (RFC 3986, section 3.1). */
const schemeOf = (uri: string): string | undefined => /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();

interface Rule {
  readonly breaks: (claim: ExternalIdClaim) => boolean;
  readonly reason: string;
}

/** Rules for combinations of fields in a claim. A claim that breaks one could never match. */
const rules: readonly Rule[] = [
  { breaks: ({ index }) => index < 0, reason: 'index must be 0 or more' },
  {
    breaks: ({ matcher, location }) => (matcher === 'PREFIX' || matcher === 'SUFFIX') && location === 'SAN_URI',
    reason: 'the matchers PREFIX and SUFFIX require the location COMMON_NAME or SAN_EMAIL: use SCHEME or ALL for SAN_URI',
  },
  {
    breaks: ({ matcher, matcherCriteria }) => matcher !== 'ALL' && matcherCriteria === '',
    reason: 'matcherCriteria may be empty only for the matcher ALL',
  },
  {
    breaks: ({ parser, parserCriteria }) => parser === 'SPLIT' && parserCriteria === '',
    reason: 'parserCriteria may be empty only for the parser NONE',
  },
];

const FIELDS = ['location', 'matcher', 'matcherCriteria', 'parser', 'parserCriteria', 'index'] as const;

/**
 * Checks that a claim to be stored is complete and could match a certificate.
 * @throws ApiError `COULD_NOT_VALIDATE`; `REFERENCED_ENTITY_NOT_FOUND` for the matcher `SCHEME` at a location without URIs
 */
export const checkClaim = (claim: ExternalIdClaim): void => {
  // A patch may set only some fields of a claim, even if none is stored.
  const missing = FIELDS.find((field) => claim[field] === undefined);
  if (missing) throw invalidField(`externalIdClaim.${missing}`, `externalIdClaim.${missing} in body is required`, undefined);
  if (claim.matcher === 'SCHEME' && claim.location !== 'SAN_URI')
    throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', {
      cause: { field: 'externalIdClaim.matcher', reason: 'only a SAN_URI has a scheme', value: claim.matcher },
    });
  const broken = rules.find(({ breaks }) => breaks(claim));
  if (broken) throw invalidField('externalIdClaim', broken.reason, undefined);
};
