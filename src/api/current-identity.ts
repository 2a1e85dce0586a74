import * as z from 'zod';
import { authenticator, extending } from './authenticators.ts';
import { identity } from './identities.ts';
import { data, EMPTY, entityBase, group, listQuery, operation, page, string, tags } from './kit/index.ts';
import { boolean, password, username } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const own = { permission: 'session', surfaces: [surfaces.management, surfaces.client] } as const;
const path = '/current-identity/authenticators/{id}' as const;

/** Replaces one's own username and password. The current password is required. */
const replaceOwn = z
  .object({
    /** The new username. */
    username,
    /** The new password. */
    password,
    /** The password until now, which proves that the change is the owner's. */
    currentPassword: password,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'AuthenticatorUpdateWithCurrent' });
/** Changes one's own username or password. The current password is required. */
const patchOwn = z
  .object({
    /** The new username. */
    username: username.optional(),
    /** The new password. */
    password: password.optional(),
    /** The password until now, which proves that the change is the owner's. */
    currentPassword: password,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'AuthenticatorPatchWithCurrent' });

/** An edge router as clients see it: with what they need to connect. The operational fields are hidden from them and null. */
const usableEdgeRouter = z
  .object({
    ...entityBase,
    /** Name of the router. */
    name: string,
    /** Host name under which clients reach the router. */
    hostname: string,
    /** True if the router is connected. */
    isOnline: boolean,
    /** Address by protocol, e.g. `tls`. */
    supportedProtocols: z.record(string, string),
    /** How far the router has synchronized its model of the network. */
    syncStatus: string,
    /** Not for clients. */
    cost: z.null(),
    /** Not for clients. */
    noTraversal: z.null(),
    /** Not for clients. */
    disabled: z.null(),
  })
  .meta({ id: 'CurrentIdentityEdgeRouterDetail' });

export const currentIdentity = group('currentIdentity', 'Current identity', {
  get: operation('GET', '/current-identity', {
    operationId: 'getCurrentIdentity',
    summary: 'Get the identity of this session',
    answer: data(identity.schemas.detail),
    ...own,
  }),
  listEdgeRouters: operation('GET', '/current-identity/edge-routers', {
    operationId: 'getCurrentIdentityEdgeRouters',
    summary: "List the enrolled edge routers that the session's identity may use",
    permission: 'session',
    surfaces: [surfaces.client],
    query: listQuery,
    answer: page(usableEdgeRouter),
  }),
  listAuthenticators: operation('GET', '/current-identity/authenticators', {
    operationId: 'listCurrentIdentityAuthenticators',
    summary: "List the session's identity's own authenticators",
    query: listQuery,
    answer: page(authenticator.schemas.detail),
    ...own,
  }),
  getAuthenticator: operation('GET', path, {
    operationId: 'detailCurrentIdentityAuthenticator',
    summary: "Get one of the session's identity's own authenticators",
    answer: data(authenticator.schemas.detail),
    ...own,
  }),
  replaceAuthenticator: operation('PUT', path, {
    operationId: 'updateCurrentIdentityAuthenticator',
    summary: 'Replace username and password of an own authenticator',
    body: { schema: replaceOwn, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    ...own,
  }),
  patchAuthenticator: operation('PATCH', path, {
    operationId: 'patchCurrentIdentityAuthenticator',
    summary: 'Change username or password of an own authenticator',
    body: { schema: patchOwn, name: 'authenticator' },
    answer: EMPTY,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    ...own,
  }),
  extendAuthenticator: operation('POST', `${path}/extend`, {
    operationId: 'extendCurrentIdentityAuthenticator',
    ...extending.extend,
    ...own,
  }),
  extendVerifyAuthenticator: operation('POST', `${path}/extend-verify`, {
    operationId: 'extendVerifyCurrentIdentityAuthenticator',
    ...extending.extendVerify,
    ...own,
  }),
});
