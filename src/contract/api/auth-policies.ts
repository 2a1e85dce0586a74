import * as z from 'zod';
import { upsert } from './edits.ts';
import { crud, group, omittable, partial, pointers, required, resource, textSet } from './kit/index.ts';
import { boolean, name, shortText } from './shared.ts';

/** An integer with a minimum. Smaller values are raised to it, not rejected. */
const atLeast = (min: number) => z.int().transform((value) => Math.max(value, min));

const cert = {
  /** True if identities may log in with client certificates. */
  allowed: boolean,
  /** True if expired certificates are accepted as well. */
  allowExpiredCerts: boolean,
};
const extJwt = {
  /** True if identities may log in with tokens of external signers. */
  allowed: boolean,
  /** Ids of the external JWT signers whose tokens are accepted; empty: all signers. */
  allowedSigners: textSet,
};
const updb = {
  /** True if identities may log in with username and password. */
  allowed: boolean,
  /** Minimum length of a new password; at least 5. */
  minPasswordLength: atLeast(5),
  /** True if a new password must contain a special character. */
  requireSpecialChar: boolean,
  /** True if a new password must contain a digit. */
  requireNumberChar: boolean,
  /** True if a new password must contain uppercase and lowercase letters. */
  requireMixedCase: boolean,
  /** Number of consecutive wrong passwords after which the identity is disabled; 0: unlimited. */
  maxAttempts: atLeast(0),
  /** Minutes for which the identity stays disabled; 0: until an administrator enables it. */
  lockoutDurationMinutes: atLeast(0),
};
/** The primary authentication methods. */
const primary = z
  .object({
    /** Client certificates. */
    cert: z.object(cert),
    /** Tokens of external JWT signers. */
    extJwt: z.object(extJwt),
    /** Username and password. */
    updb: z.object(updb),
  })
  .meta({ id: 'AuthPolicyPrimary' });
/** Changes to the primary methods: omitted members stay as they are. */
const primaryPatch = z
  .object({
    /** Client certificates. */
    cert: omittable(partial(cert)),
    /** Tokens of external JWT signers. */
    extJwt: omittable(partial(extJwt)),
    /** Username and password. */
    updb: omittable(partial(updb)),
  })
  .meta({ id: 'AuthPolicyPrimaryPatch' });

const signer = shortText.transform((value): string | null => (value === '' ? null : value));
/** The second factors that are required after the login. */
const secondary = z
  .object({
    /** True if a code of an authenticator app is required. */
    requireTotp: boolean,
    /** Id of the external JWT signer whose token every request must present; null for none. */
    requireExtJwtSigner: signer.nullish(),
  })
  .meta({ id: 'AuthPolicySecondary' });
/** Changes to the second factors. Null clears the signer; elsewhere in a patch, null changes nothing. */
const secondaryPatch = z
  .object({
    /** True if a code of an authenticator app is required. */
    requireTotp: omittable(boolean),
    /** Id of the external JWT signer whose token every request must present; null for none. */
    requireExtJwtSigner: signer.nullish(),
  })
  .meta({ id: 'AuthPolicySecondaryPatch' });

export const authPolicy = resource({
  kind: 'authPolicy',
  collection: 'auth-policies',
  names: ['AuthPolicy', 'AuthPolicies'],
  nouns: ['authentication policy', 'authentication policies'],
  about: 'An auth policy defines how identities may authenticate, the rules for passwords, and the required second factors.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** The primary authentication methods, and the password rules. */
    primary: required(primary, { patch: primaryPatch.optional(), idsWithin: { 'extJwt.allowedSigners[]': 'externalJwtSigner' } }),
    /** The second factors that are required after the login. */
    secondary: required(secondary, { patch: secondaryPatch.optional(), idsWithin: { requireExtJwtSigner: 'externalJwtSigner' } }),
    /** All signers that the policy refers to, as allowed or as required. */
    externalJwtSigners: pointers('externalJwtSigner'),
  },
  symbols: {
    'primary.cert.allowed': { path: 'primary.cert.allowed', type: 'boolean' },
    'primary.cert.allowExpiredCerts': { path: 'primary.cert.allowExpiredCerts', type: 'boolean' },
    'primary.extJwt.allowed': { path: 'primary.extJwt.allowed', type: 'boolean' },
    'primary.updb.allowed': { path: 'primary.updb.allowed', type: 'boolean' },
    // The types of `maxAttempts` and `requireNumberChar` are wrong, but existing clients rely on them.
    'primary.updb.maxAttempts': { path: 'primary.updb.maxAttempts', type: 'boolean' },
    'primary.updb.minPasswordLength': { path: 'primary.updb.minPasswordLength', type: 'number' },
    'primary.updb.requireMixedCase': { path: 'primary.updb.requireMixedCase', type: 'boolean' },
    'primary.updb.requireNumberChar': { path: 'primary.updb.requireNumberChar', type: 'number' },
    'primary.updb.requireSpecialChar': { path: 'primary.updb.requireSpecialChar', type: 'boolean' },
    'secondary.requireExtJwtSigner': { path: 'secondary.requireExtJwtSigner', type: 'string' },
    'secondary.requireTotp': { path: 'secondary.requireTotp', type: 'boolean' },
  },
});

export const authPolicies = group('authPolicies', 'Authentication policies', {
  ...crud(authPolicy, { errors: { create: ['NOT_FOUND'], delete: ['CAN_NOT_DELETE_REFERENCED_ENTITY'] } }),
  ...upsert(authPolicy),
});
