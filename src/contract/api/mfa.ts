import * as z from 'zod';
import {
  CREATED,
  data,
  EMPTY,
  entityBase,
  group,
  operation,
  readOnly,
  reference,
  resource,
  sealed,
  string,
  timestamp,
} from './kit/index.ts';
import { boolean, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const integers = z.array(z.int());

export const mfa = resource({
  kind: 'mfa',
  collection: 'mfas',
  names: ['Mfa', 'Mfas'],
  nouns: ['MFA enrollment', 'MFA enrollments'],
  about:
    'An MFA enrollment is the second factor of an identity: codes from an authenticator app (TOTP, RFC 6238), and recovery codes in case the app is lost.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', unique: true }),
    /** True if a code has proved that the authenticator app has the secret. */
    isVerified: readOnly(boolean, { default: false, filter: true }),
    /** The TOTP secret in base32, encrypted: checking a code requires the plain secret. */
    sealedSecret: sealed(string, ({ identityId }) => `mfa:${identityId}:secret`, { neverNull: true }),
    /** The recovery codes as a JSON list, encrypted instead of hashed, because their owner may display them again. */
    sealedRecoveryCodes: sealed(string, ({ identityId }) => `mfa:${identityId}:recovery-codes`, { neverNull: true }),
    /** Indexes of the used recovery codes in that list. */
    spentRecoveryCodes: readOnly(integers, { keep: 'hidden', default: [] }),
    /** TOTP intervals whose codes were used, kept for as long as the codes could be replayed. */
    spentIntervals: readOnly(integers, { keep: 'hidden', default: [] }),
    /** The API session, login or browser that started the enrollment; null if an earlier release started it. */
    begunIn: readOnly(string.nullable(), { keep: 'hidden', default: null }),
    /** Times of the latest wrong codes. */
    wrongCodesAt: readOnly(z.array(timestamp), { keep: 'hidden', default: [], volatile: true }),
  },
});

/** A code of the authenticator app. Some operations also accept a recovery code. */
export const mfaCode = z
  .object({
    /** A six-digit TOTP code, or a recovery code. */
    code: shortText,
  })
  .meta({ id: 'MfaCode' });
/** A code that may be in the header instead. If both are present, the body takes precedence. */
const optionalCode = z
  .object({
    /** A six-digit TOTP code, or a recovery code. */
    code: shortText.optional(),
  })
  .meta({ id: 'OptionalMfaCode' });

/**
 * The state of the MFA of an identity. Until the enrollment is verified, it contains the secret and the recovery codes for the API session
 * that started the enrollment.
 */
const mfaStatus = z
  .object({
    ...entityBase,
    /** True if a code has proved that the authenticator app has the secret. */
    isVerified: boolean,
    /** The secret as an `otpauth:` URL; only before verification, in the API session that started the enrollment. */
    provisioningUrl: string.optional(),
    /** The recovery codes; only before verification, in the API session that started the enrollment. */
    recoveryCodes: z.array(string).nullable(),
  })
  .meta({ id: 'MfaDetail' });
/** The remaining recovery codes. */
const recoveryCodes = z
  .object({
    ...entityBase,
    /** The codes; each is valid once. */
    recoveryCodes: z.array(string),
  })
  .meta({ id: 'MfaRecoveryCodes' });

const onBothApis = { surfaces: [surfaces.management, surfaces.client] } as const;
/** Operations that set up the factor are open to sessions that still lack it. */
const setup = { permission: 'partial', ...onBothApis } as const;
const common = { permission: 'session', ...onBothApis } as const;
const path = '/current-identity/mfa';
const header = { code: 'mfa-validation-code' } as const;

export const currentMfa = group('currentMfa', 'MFA of the current identity', {
  enroll: operation('POST', path, {
    operationId: 'enrollMfa',
    summary: 'Start an MFA enrollment',
    answer: CREATED,
    errors: ['MFA_EXISTS'],
    ...setup,
  }),
  get: operation('GET', path, {
    operationId: 'detailMfa',
    summary: 'Get the state of MFA and, before verification, the secret and the recovery codes',
    answer: data(mfaStatus),
    errors: ['NOT_FOUND'],
    ...setup,
  }),
  getQrCode: operation('GET', `${path}/qr-code`, {
    operationId: 'detailMfaQrCode',
    summary: 'Get the provisioning URL as a QR code; only before verification, in the session that started the enrollment',
    answer: { is: 'raw', contentTypes: ['image/png'] },
    errors: ['NOT_FOUND'],
    ...setup,
  }),
  verify: operation('POST', `${path}/verify`, {
    operationId: 'verifyMfa',
    summary: 'Verify an MFA enrollment with a code of the authenticator app',
    body: { schema: mfaCode, name: 'mfaValidation' },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...setup,
  }),
  delete: operation('DELETE', path, {
    operationId: 'deleteMfa',
    summary: 'Disable MFA; requires a TOTP code or a recovery code once MFA is verified',
    headers: header,
    body: { schema: optionalCode, name: 'mfaValidation', required: false },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...common,
  }),
  getRecoveryCodes: operation('GET', `${path}/recovery-codes`, {
    operationId: 'detailMfaRecoveryCodes',
    summary: 'List the remaining recovery codes; requires a TOTP code',
    headers: header,
    body: { schema: optionalCode, name: 'mfaValidation', required: false },
    answer: data(recoveryCodes),
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN', 'SERVER_TOO_MANY_REQUESTS'],
    ...common,
  }),
  replaceRecoveryCodes: operation('POST', `${path}/recovery-codes`, {
    operationId: 'createMfaRecoveryCodes',
    summary: 'Replace all recovery codes with new ones; requires a TOTP code or a recovery code',
    body: { schema: mfaCode, name: 'mfaValidation' },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...common,
  }),
});
