import { z } from 'zod';
import { crud } from './kit/crud.ts';
import { optional, readOnly, required, writeOnly } from './kit/field.ts';
import { CREATED, EMPTY, group, operation } from './kit/operation.ts';
import { reference } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { flag, moment, password, tags, text, timestamp, username } from './shared.ts';

/** What a filter must accept and may never answer: neither hashes nor salts can be probed. */
const secret = { secret: 'string' } as const;

export const authenticator = resource({
  kind: 'authenticator',
  collection: 'authenticators',
  names: ['Authenticator', 'Authenticators'],
  about: 'An authenticator is one way of an identity to prove itself: a username with a password (updb) or a client certificate (cert).',
  fields: {
    identityId: reference('identity', { write: 'createOnly', onDelete: 'cascade', filter: 'identity' }),
    method: { ...required(z.enum(['updb', 'cert']), { filter: true }), write: 'createOnly' },
    username: optional(username, { unique: true, filter: 'updbUsername', absent: true }),
    password: writeOnly(password),
    passwordHash: readOnly(text, { keep: 'hidden' }),
    /** Consecutive wrong passwords. */
    failedAttempts: readOnly(z.int(), { keep: 'hidden', default: 0, volatile: true }),
    certPem: { ...optional(text, { absent: true }), write: 'createOptional' },
    fingerprint: readOnly(text, { absent: true, unique: true, filter: 'certFingerprint' }),
    isIssuedByNetwork: readOnly(flag, { absent: true, filter: true, default: false }),
    isExtendRequested: readOnly(flag, { absent: true, filter: true, default: false }),
    isKeyRollRequested: readOnly(flag, { absent: true, filter: true, default: false }),
    lastAuthResolvedToRoot: readOnly(flag, { absent: true, filter: true, default: false }),
    extendRequestedAt: readOnly(timestamp, { absent: true, filter: true }),
  },
  links: { identities: './identities/{identityId}' },
  symbols: {
    certPem: { path: 'certPem', type: 'string' },
    updbPassword: secret,
    updbSalt: secret,
    publicKeyPrint: secret,
    lastExtendRolledKeys: { path: 'lastExtendRolledKeys', type: 'boolean' },
  },
});

/** Both are needed to replace a password authenticator. */
const replaceBody = z.object({ username, password, tags: tags.optional() }).meta({ id: 'AuthenticatorReplace' });

const reEnroll = z.object({ expiresAt: moment }).meta({ id: 'ReEnroll' });

export const authenticators = group('authenticators', 'Authenticators', {
  ...crud(authenticator, { errors: { create: ['MAX_AUTHENTICATOR_METHODS_REACHED'], patch: ['CAN_NOT_UPDATE_AUTHENTICATOR'] } }),
  replace: operation('PUT', '/authenticators/{id}', {
    operationId: 'updateAuthenticator',
    summary: 'Replace username and password of an authenticator',
    permission: 'authenticator.update',
    body: { schema: replaceBody, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
  }),
  reEnroll: operation('POST', '/authenticators/{id}/re-enroll', {
    operationId: 'reEnrollAuthenticator',
    summary: 'Turn an authenticator back into an enrollment: its sessions end, and its owner enrolls anew',
    permission: 'authenticator.update',
    body: { schema: reEnroll, name: 'reEnroll' },
    answer: CREATED,
    errors: ['ENROLLMENT_EXISTS', 'ENTITY_CAN_NOT_BE_DELETED'],
  }),
});
