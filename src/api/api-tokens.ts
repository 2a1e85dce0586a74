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
import { permissionNames, permissionScopes } from './permissions.ts';
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
    'An API token lets a program call the management API as an identity, without a login: with the rights that both the token and its identity have, until it expires or is deleted.',
  fields: {
    /** Id of the identity that the token belongs to. */
    identityId: reference('identity', { write: 'createOnly', onDelete: 'cascade', filter: 'identity' }),
    /** What the token is for, in the words of its creator. */
    name: required(notBlank, { filter: true }),
    /** True if the token has all rights of an administrator, while its identity is one. Otherwise it has its permissions, even if its identity is an administrator. */
    isAdmin: { ...optional(boolean, { default: false, filter: true }), ...createOnlyOptional },
    /** The permissions of the token: no more than its identity has. */
    permissions: { ...optional(permissionNames, { default: [] }), ...createOnlyOptional },
    /** Permissions of the token that apply only to entities with some role attributes, by name. */
    scopedPermissions: { ...optional(permissionScopes, { absent: true }), ...createOnlyOptional },
    /** When the token expires: RFC 3339, at most `maxApiTokenDays` ahead. */
    expiresAt: required(dateTime, { filter: true, index: true }),
    /** Addresses, and ranges in CIDR notation, from which the token is accepted; empty for any. */
    addressRanges: optional(list(shortText, 50), { default: [] }),
    /** SHA-256 of the token. */
    secretHash: readOnly(string, { keep: 'hidden' }),
    /** SHA-256 of the token before its last rotation. */
    previousSecretHash: readOnly(string, { keep: 'hidden' }),
    /** Until when the token before the last rotation is accepted, too. */
    previousSecretEndsAt: readOnly(timestamp, { absent: true }),
    /** When the token was last used, as far as it is stored: at most once in 30 seconds. */
    lastActivityAt: readOnly(timestamp, { volatile: true }),
    /** When the controller announced, by changing this field, that the token is about to expire. */
    expiryAnnouncedAt: readOnly(timestamp, { absent: true }),
  },
});

const secret = string.optional().meta({
  description:
    'The token. It is shown only once: the controller stores a hash, and an answer that is repeated for an idempotency key is without it.',
});
/** A new API token. */
const createdToken = created.extend({ secret }).meta({ id: 'CreatedApiToken' });

/** Minutes for which the old token remains valid by default. */
export const DEFAULT_OVERLAP = 60;

/** For how long the old token remains valid. */
const rotation = z
  .object({
    overlapMinutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(DEFAULT_OVERLAP)
      .meta({ description: 'Minutes for which the old token is accepted, too: 0 to 10,080 (7 days), default 60.' }),
  })
  .meta({ id: 'ApiTokenRotation' });

/** The token after a rotation. */
const rotatedToken = z
  .object({
    secret,
    /** Until when the old token is accepted, too. */
    previousSecretEndsAt: timestamp,
  })
  .meta({ id: 'RotatedApiToken' });

// A token cannot create or renew tokens: a stolen one could otherwise outlive its expiry and leave its address ranges.
const inSessions = { surfaces: [surfaces.extensions], byToken: false } as const;
const byAdministrators = { ...inSessions, grantable: false, givenOnce: 'secret' } as const;
const rotating = { body: { schema: rotation, name: 'apiTokenRotation', required: false }, answer: data(rotatedToken) } as const;
const crudOperations = crud(apiToken, { except: ['create', 'replace'], surfaces: [surfaces.extensions] });

export const apiTokens = group('apiTokens', 'API tokens', {
  ...crudOperations,
  patch: { ...crudOperations.patch, byToken: false },
  create: operation('POST', '/api-tokens', {
    operationId: 'createApiToken',
    summary: 'Create an API token of an identity; only this answer has the token itself',
    permission: rightTo('create', apiToken),
    body: { schema: apiToken.schemas.create, name: 'apiToken' },
    answer: { is: 'created', schema: createdToken },
    errors: ['NOT_FOUND'],
    ...byAdministrators,
  }),
  rotate: operation('POST', '/api-tokens/{id}/rotate', {
    operationId: 'rotateApiToken',
    summary: 'Replace the secret of an API token; the old token remains valid for a while, and one before it ends',
    permission: rightTo('update', apiToken),
    ...rotating,
    ...byAdministrators,
  }),
});

const own = { permission: 'session', ...inSessions } as const;
const path = '/current-identity/api-tokens' as const;
const { fields } = apiToken;
/** Creates an API token of the caller's identity. */
const ownCreate = z
  .object({
    /** What the token is for. */
    name: fields.name.schema,
    /** True for all rights of an administrator, if the caller is one. */
    isAdmin: fields.isAdmin.schema.optional(),
    /** The permissions of the token. */
    permissions: fields.permissions.schema.optional(),
    /** Permissions that apply only to entities with some role attributes, by name. */
    scopedPermissions: fields.scopedPermissions.schema.optional(),
    /** When the token expires: RFC 3339, at most `maxApiTokenDays` ahead. */
    expiresAt: fields.expiresAt.schema,
    /** Addresses, and ranges in CIDR notation, from which the token is accepted. Default: any. */
    addressRanges: fields.addressRanges.schema.optional(),
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'OwnApiTokenCreate' });

export const currentApiTokens = group('currentApiTokens', 'API tokens of the current identity', {
  list: operation('GET', path, {
    operationId: 'listCurrentIdentityApiTokens',
    summary: "List the API tokens of the session's identity",
    query: listQuery,
    answer: page(apiToken.schemas.detail),
    ...own,
  }),
  create: operation('POST', path, {
    operationId: 'createCurrentIdentityApiToken',
    summary: "Create an API token of the session's identity, if the setting ownApiTokens allows it",
    body: { schema: ownCreate, name: 'apiToken' },
    answer: { is: 'created', schema: createdToken },
    errors: ['NOT_CONFIGURED'],
    ...own,
  }),
  rotate: operation('POST', `${path}/{id}/rotate`, {
    operationId: 'rotateCurrentIdentityApiToken',
    summary: "Replace the secret of an API token of the session's identity, if the setting ownApiTokens allows it",
    errors: ['NOT_CONFIGURED'],
    ...rotating,
    ...own,
  }),
  delete: operation('DELETE', `${path}/{id}`, {
    operationId: 'deleteCurrentIdentityApiToken',
    summary: "Revoke an API token of the session's identity",
    answer: EMPTY,
    ...own,
  }),
});
