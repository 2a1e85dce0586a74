import * as z from 'zod';
import { authenticator, extending } from './authenticators.ts';
import { identity } from './identities.ts';
import { data, EMPTY, entityBase, group, listQuery, operation, page, string, tags } from './kit/index.ts';
import { reportedFields } from './router-software.ts';
import { boolean, password, username } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const common = { permission: 'session', surfaces: [surfaces.management, surfaces.client] } as const;
const path = '/current-identity/authenticators/{id}' as const;

/** The new username and password of the caller. The current password is required. */
const replaceOwn = z
  .object({
    /** The new username. */
    username,
    /** The new password. */
    password,
    /** The current password, as proof that the owner makes the change. */
    currentPassword: password,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'AuthenticatorUpdateWithCurrent' });
/** Changes to the username or password of the caller. The current password is required. */
const patchOwn = z
  .object({
    /** The new username. */
    username: username.optional(),
    /** The new password. */
    password: password.optional(),
    /** The current password, as proof that the owner makes the change. */
    currentPassword: password,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'AuthenticatorPatchWithCurrent' });

/** An edge router as clients see it, with the fields that they need to connect. The operational fields are always null. */
const usableEdgeRouter = z
  .object({
    ...entityBase,
    /** Name of the router. */
    name: string,
    /** Host name at which clients reach the router. */
    hostname: string,
    /** True if the router is connected. */
    isOnline: boolean,
    /** Address by protocol, e.g. `tls`. */
    supportedProtocols: z.record(string, string),
    /** Progress of the router in synchronizing its model of the network. */
    syncStatus: string,
    ...reportedFields,
    /** Not shown to clients. */
    cost: z.null(),
    /** Not shown to clients. */
    noTraversal: z.null(),
    /** Not shown to clients. */
    disabled: z.null(),
  })
  .meta({ id: 'CurrentIdentityEdgeRouterDetail' });

export const currentIdentity = group('currentIdentity', 'Current identity', {
  get: operation('GET', '/current-identity', {
    operationId: 'getCurrentIdentity',
    summary: 'Get the current identity',
    answer: data(identity.schemas.detail),
    byToken: true,
    ...common,
  }),
  listEdgeRouters: operation('GET', '/current-identity/edge-routers', {
    operationId: 'getCurrentIdentityEdgeRouters',
    summary: 'List the enrolled edge routers that the current identity may use',
    permission: 'session',
    surfaces: [surfaces.client],
    query: listQuery,
    answer: page(usableEdgeRouter),
  }),
  listAuthenticators: operation('GET', '/current-identity/authenticators', {
    operationId: 'listCurrentIdentityAuthenticators',
    summary: 'List the authenticators of the current identity',
    query: listQuery,
    answer: page(authenticator.schemas.detail),
    ...common,
  }),
  getAuthenticator: operation('GET', path, {
    operationId: 'detailCurrentIdentityAuthenticator',
    summary: 'Get an authenticator of the current identity',
    answer: data(authenticator.schemas.detail),
    ...common,
  }),
  replaceAuthenticator: operation('PUT', path, {
    operationId: 'updateCurrentIdentityAuthenticator',
    summary: 'Replace the username and password of an authenticator of the current identity',
    body: { schema: replaceOwn, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    ...common,
  }),
  patchAuthenticator: operation('PATCH', path, {
    operationId: 'patchCurrentIdentityAuthenticator',
    summary: 'Change the username or password of an authenticator of the current identity',
    body: { schema: patchOwn, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    ...common,
  }),
  extendAuthenticator: operation('POST', `${path}/extend`, {
    operationId: 'extendCurrentIdentityAuthenticator',
    ...extending.extend,
    ...common,
  }),
  extendVerifyAuthenticator: operation('POST', `${path}/extend-verify`, {
    operationId: 'extendVerifyCurrentIdentityAuthenticator',
    ...extending.extendVerify,
    ...common,
  }),
});
