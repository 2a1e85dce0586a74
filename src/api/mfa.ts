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

const whole = z.array(z.int());

export const mfa = resource({
  kind: 'mfa',
  collection: 'mfas',
  names: ['Mfa', 'Mfas'],
  nouns: ['MFA enrollment', 'MFA enrollments'],
  about:
    'An MFA enrollment is the second factor of an identity: codes from an authenticator app (TOTP, RFC 6238), and recovery codes in case that is lost.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', unique: true }),
    /** True if a code has proved that the authenticator app has the secret. */
    isVerified: readOnly(boolean, { default: false, filter: true }),
    /** The TOTP secret in base32, sealed: it must be read again to check a code. */
    sealedSecret: sealed(string, ({ identityId }) => `mfa:${identityId}:secret`),
    /** The recovery codes as a JSON list, sealed and not hashed: their owner may see them again. */
    sealedRecoveryCodes: sealed(string, ({ identityId }) => `mfa:${identityId}:recovery-codes`),
    /** Places in that list of the recovery codes that were used. */
    spentRecoveryCodes: readOnly(whole, { keep: 'hidden', default: [] }),
    /** Intervals of TOTP whose codes completed a login, for as long as they could be replayed. */
    spentIntervals: readOnly(whole, { keep: 'hidden', default: [] }),
    /** The login, or the browser, that began an enrollment not verified yet; null for an API session. */
    begunIn: readOnly(string.nullable(), { keep: 'hidden', default: null }),
    /** When the latest wrong codes were given. */
    wrongCodesAt: readOnly(z.array(timestamp), { keep: 'hidden', default: [], volatile: true }),
  },
});

/** A code of the authenticator app or, where documented, a recovery code. */
export const mfaCode = z
  .object({
    /** Six digits of the app, or a recovery code. */
    code: shortText,
  })
  .meta({ id: 'MfaCode' });
/** The code may stand in the header instead; that of the body counts if there are both. */
const optionalCode = z
  .object({
    /** Six digits of the app, or a recovery code. */
    code: shortText.optional(),
  })
  .meta({ id: 'OptionalMfaCode' });

/** Shown until the enrollment is verified, and never again. */
const mfaStatus = z
  .object({
    ...entityBase,
    /** True if a code has proved that the authenticator app has the secret. */
    isVerified: boolean,
    /** The secret as an `otpauth:` address, until it is verified. */
    provisioningUrl: string.optional(),
    /** The recovery codes, until it is verified. */
    recoveryCodes: z.array(string).nullable(),
  })
  .meta({ id: 'MfaDetail' });
/** The recovery codes that are left. */
const recoveryCodes = z
  .object({
    ...entityBase,
    /** Each is good once. */
    recoveryCodes: z.array(string),
  })
  .meta({ id: 'MfaRecoveryCodes' });

const both = { surfaces: [surfaces.management, surfaces.client] } as const;
/** The operations that a session owing a code needs to set up the factor. */
const settingUp = { permission: 'partial', ...both } as const;
const own = { permission: 'session', ...both } as const;
const at = '/current-identity/mfa';
const header = { code: 'mfa-validation-code' } as const;

export const currentMfa = group('currentMfa', "MFA of the session's identity", {
  enroll: operation('POST', at, {
    operationId: 'enrollMfa',
    summary: 'Start an MFA enrollment',
    answer: CREATED,
    errors: ['MFA_EXISTS'],
    ...settingUp,
  }),
  get: operation('GET', at, {
    operationId: 'detailMfa',
    summary: 'Get the state of MFA, and what is needed to verify it',
    answer: data(mfaStatus),
    errors: ['NOT_FOUND'],
    ...settingUp,
  }),
  getQrCode: operation('GET', `${at}/qr-code`, {
    operationId: 'detailMfaQrCode',
    summary: 'Get the provisioning URL as a QR code, until MFA is verified',
    answer: { is: 'raw', contentTypes: ['image/png'] },
    errors: ['NOT_FOUND'],
    ...settingUp,
  }),
  verify: operation('POST', `${at}/verify`, {
    operationId: 'verifyMfa',
    summary: 'Verify an MFA enrollment with a code of the authenticator app',
    body: { schema: mfaCode, name: 'mfaValidation' },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...settingUp,
  }),
  delete: operation('DELETE', at, {
    operationId: 'deleteMfa',
    summary: 'Disable MFA: with a TOTP code or a recovery code, or without one before it is verified',
    headers: header,
    body: { schema: optionalCode, name: 'mfaValidation', required: false },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...own,
  }),
  getRecoveryCodes: operation('GET', `${at}/recovery-codes`, {
    operationId: 'detailMfaRecoveryCodes',
    summary: 'List the remaining recovery codes, with a TOTP code',
    headers: header,
    body: { schema: optionalCode, name: 'mfaValidation', required: false },
    answer: data(recoveryCodes),
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN', 'SERVER_TOO_MANY_REQUESTS'],
    ...own,
  }),
  replaceRecoveryCodes: operation('POST', `${at}/recovery-codes`, {
    operationId: 'createMfaRecoveryCodes',
    summary: 'Replace all recovery codes by new ones, by a code of the app or a recovery code',
    body: { schema: mfaCode, name: 'mfaValidation' },
    answer: EMPTY,
    errors: ['NOT_FOUND', 'MFA_INVALID_TOKEN'],
    ...own,
  }),
});
