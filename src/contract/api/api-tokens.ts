import * as z from 'zod';
import {
  created,
  crud,
  data,
  EMPTY,
  group,
  list,
  listQuery,
  operation,
  optional,
  page,
  readOnly,
  reference,
  required,
  resource,
  rightTo,
  string,
  tags,
  timestamp,
} from './kit/index.ts';
import { permissionScopes } from './permission-scopes.ts';
import { permissionNames } from './permissions.ts';
import { boolean, dateTime, notBlank, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const createOnlyOptional = { write: 'createOnlyOptional' } as const;

export const apiToken = resource({
  kind: 'apiToken',
  collection: 'api-tokens',
  names: ['ApiToken', 'ApiTokens'],
  nouns: ['API token', 'API tokens'],
  isCredential: true,
  about:
    'An API token lets a program call the management API as an identity without logging in. The program has the rights that both the token and the identity have, until the token expires or is deleted.',
  fields: {
    /** Id of the identity that the token belongs to. */
    identityId: reference('identity', { write: 'createOnly', onDelete: 'cascade', filter: 'identity' }),
    /** A name that describes the purpose of the token. */
    name: required(notBlank, { filter: true }),
    /**
     * True if the token has all rights of an administrator for as long as its identity is one. Otherwise the token has only its own
     * permissions, even if its identity is an administrator.
     */
    isAdmin: { ...optional(boolean, { default: false, filter: true }), ...createOnlyOptional },
    /** The permissions of the token, limited to those of its identity. */
    permissions: { ...optional(permissionNames, { default: [] }), ...createOnlyOptional },
    /** Permissions that apply only to entities with certain role attributes, by name of the permission. */
    scopedPermissions: { ...optional(permissionScopes, { absent: true }), ...createOnlyOptional },
    /** When the token expires: RFC 3339, at most `maxApiTokenDays` in the future. */
    expiresAt: required(dateTime, { filter: true, index: true }),
    /** IP addresses and CIDR ranges from which the token is accepted; empty: any. */
    addressRanges: optional(list(shortText, 50), { default: [] }),
    /** SHA-256 of the token. */
    secretHash: readOnly(string, { keep: 'hidden' }),
    /** SHA-256 of the previous token, which the last rotation replaced. */
    previousSecretHash: readOnly(string, { keep: 'hidden' }),
    /** When the previous token stops being accepted, after a rotation. */
    previousSecretEndsAt: readOnly(timestamp, { absent: true }),
    /** When the token was last used; updated at most every 30 seconds. */
    lastActivityAt: readOnly(timestamp, { volatile: true }),
    /** When the controller set this field, to announce that the token is about to expire. */
    expiryAnnouncedAt: readOnly(timestamp, { absent: true }),
  },
});

const secret = string.optional().meta({
  description:
    'The token itself. It is returned only once: the controller stores only a hash, and answers repeated for an idempotency key omit it.',
});
/** A new API token. */
const createdToken = created.extend({ secret }).meta({ id: 'CreatedApiToken' });

/** Minutes for which the old token remains valid by default. */
export const DEFAULT_OVERLAP = 60;

/** The overlap of a rotation. */
const rotation = z
  .object({
    overlapMinutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(DEFAULT_OVERLAP)
      .meta({ description: 'Minutes for which the old token is still accepted: 0 to 10,080 (7 days), default 60.' }),
  })
  .meta({ id: 'ApiTokenRotation' });

/** The token after a rotation. */
const rotatedToken = z
  .object({
    secret,
    /** When the old token stops being accepted. */
    previousSecretEndsAt: timestamp,
  })
  .meta({ id: 'RotatedApiToken' });

// A token cannot create or rotate tokens: otherwise a stolen one could outlive its expiry and escape its address ranges.
const inSessions = { surfaces: [surfaces.extensions], byToken: false } as const;
const byAdministrators = { ...inSessions, acceptedPermissions: [], givenOnce: 'secret' } as const;
const rotating = { body: { schema: rotation, name: 'apiTokenRotation', required: false }, answer: data(rotatedToken) } as const;
const crudOperations = crud(apiToken, { except: ['create', 'replace'], surfaces: [surfaces.extensions] });

export const apiTokens = group('apiTokens', 'API tokens', {
  ...crudOperations,
  patch: { ...crudOperations.patch, byToken: false },
  create: operation('POST', '/api-tokens', {
    operationId: 'createApiToken',
    summary: 'Create an API token for an identity; only this answer contains the token itself',
    permission: rightTo('create', apiToken),
    body: { schema: apiToken.schemas.create, name: 'apiToken' },
    answer: { is: 'created', schema: createdToken },
    errors: ['NOT_FOUND'],
    ...byAdministrators,
  }),
  rotate: operation('POST', '/api-tokens/{id}/rotate', {
    operationId: 'rotateApiToken',
    summary: 'Replace the secret of an API token; the previous token remains valid for a while, and any older one is revoked',
    permission: rightTo('update', apiToken),
    ...rotating,
    ...byAdministrators,
  }),
});

const own = { permission: 'session', ...inSessions } as const;
const path = '/current-identity/api-tokens' as const;
const { fields } = apiToken;
/** An API token to create for the caller's identity. */
const ownCreate = z
  .object({
    /** A name that describes the purpose of the token. */
    name: fields.name.schema,
    /** True to give the token all rights of an administrator, if the caller is one. */
    isAdmin: fields.isAdmin.schema.optional(),
    /** The permissions of the token, limited to those of the caller. */
    permissions: fields.permissions.schema.optional(),
    /** Permissions that apply only to entities with certain role attributes, by name of the permission. */
    scopedPermissions: fields.scopedPermissions.schema.optional(),
    /** When the token expires: RFC 3339, at most `maxApiTokenDays` in the future. */
    expiresAt: fields.expiresAt.schema,
    /** IP addresses and CIDR ranges from which the token is accepted. Default: any. */
    addressRanges: fields.addressRanges.schema.optional(),
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'OwnApiTokenCreate' });

export const currentApiTokens = group('currentApiTokens', 'API tokens of the current identity', {
  list: operation('GET', path, {
    operationId: 'listCurrentIdentityApiTokens',
    summary: 'List the API tokens of the current identity',
    query: listQuery,
    answer: page(apiToken.schemas.detail),
    ...own,
  }),
  create: operation('POST', path, {
    operationId: 'createCurrentIdentityApiToken',
    summary: 'Create an API token for the current identity, if the setting `ownApiTokens` allows it',
    body: { schema: ownCreate, name: 'apiToken' },
    answer: { is: 'created', schema: createdToken },
    errors: ['NOT_CONFIGURED'],
    ...own,
  }),
  rotate: operation('POST', `${path}/{id}/rotate`, {
    operationId: 'rotateCurrentIdentityApiToken',
    summary: 'Replace the secret of an API token of the current identity, if the setting `ownApiTokens` allows it',
    errors: ['NOT_CONFIGURED'],
    ...rotating,
    ...own,
  }),
  delete: operation('DELETE', `${path}/{id}`, {
    operationId: 'deleteCurrentIdentityApiToken',
    summary: 'Revoke an API token of the current identity',
    answer: EMPTY,
    ...own,
  }),
});
