import * as z from 'zod';
import { crud } from './kit/crud.ts';
import { required } from './kit/field.ts';
import { given, leaves } from './kit/leaves.ts';
import { group } from './kit/operation.ts';
import { pointers, textSet } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { flag, name, shortText } from './shared.ts';

/** Numbers out of range are brought into range, not refused. */
const atLeast = (min: number) => z.int().transform((value) => Math.max(value, min));

const cert = { allowed: flag, allowExpiredCerts: flag };
const extJwt = { allowed: flag, allowedSigners: textSet };
const updb = {
  allowed: flag,
  minPasswordLength: atLeast(5),
  requireSpecialChar: flag,
  requireNumberChar: flag,
  requireMixedCase: flag,
  /** Consecutive wrong passwords that disable the identity; 0: any number. */
  maxAttempts: atLeast(0),
  /** Minutes for which it is disabled; 0: until enabled. */
  lockoutDurationMinutes: atLeast(0),
};
const primary = z.object({ cert: z.object(cert), extJwt: z.object(extJwt), updb: z.object(updb) }).meta({ id: 'AuthPolicyPrimary' });
const primaryPatch = z
  .object({ cert: given(leaves(cert)), extJwt: given(leaves(extJwt)), updb: given(leaves(updb)) })
  .meta({ id: 'AuthPolicyPrimaryPatch' });

const signer = shortText.transform((value): string | null => (value === '' ? null : value));
const secondary = z.object({ requireTotp: flag, requireExtJwtSigner: signer.nullish() }).meta({ id: 'AuthPolicySecondary' });
/** Here null clears the signer (the one null that counts). */
const secondaryPatch = z
  .object({ requireTotp: given(flag), requireExtJwtSigner: signer.nullish() })
  .meta({ id: 'AuthPolicySecondaryPatch' });

export const authPolicy = resource({
  kind: 'authPolicy',
  collection: 'auth-policies',
  names: ['AuthPolicy', 'AuthPolicies'],
  about:
    'An authentication policy says how identities may prove themselves, what passwords must be like, and which second factors are owed.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    primary: required(primary, { patch: primaryPatch }),
    secondary: required(secondary, { patch: secondaryPatch }),
    /** All that the policy names, as allowed or as required. */
    externalJwtSigners: pointers('externalJwtSigner'),
  },
  symbols: {
    'primary.cert.allowed': { path: 'primary.cert.allowed', type: 'boolean' },
    'primary.cert.allowExpiredCerts': { path: 'primary.cert.allowExpiredCerts', type: 'boolean' },
    'primary.extJwt.allowed': { path: 'primary.extJwt.allowed', type: 'boolean' },
    'primary.updb.allowed': { path: 'primary.updb.allowed', type: 'boolean' },
    // Clients know these two under types that are not those of the fields; kept for compatibility.
    'primary.updb.maxAttempts': { path: 'primary.updb.maxAttempts', type: 'boolean' },
    'primary.updb.minPasswordLength': { path: 'primary.updb.minPasswordLength', type: 'number' },
    'primary.updb.requireMixedCase': { path: 'primary.updb.requireMixedCase', type: 'boolean' },
    'primary.updb.requireNumberChar': { path: 'primary.updb.requireNumberChar', type: 'number' },
    'primary.updb.requireSpecialChar': { path: 'primary.updb.requireSpecialChar', type: 'boolean' },
    'secondary.requireExtJwtSigner': { path: 'secondary.requireExtJwtSigner', type: 'string' },
    'secondary.requireTotp': { path: 'secondary.requireTotp', type: 'boolean' },
  },
});

export const authPolicies = group(
  'authPolicies',
  'Authentication policies',
  crud(authPolicy, { errors: { create: ['NOT_FOUND'], delete: ['CAN_NOT_DELETE_REFERENCED_ENTITY'] } }),
);
