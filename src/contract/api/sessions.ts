import * as z from 'zod';
import { commonEdgeRouter } from './access.ts';
import {
  data,
  EMPTY,
  entityReference,
  group,
  listQuery,
  operation,
  page,
  readOnly,
  reference,
  resource,
  sealed,
  string,
  tags,
  timestamp,
} from './kit/index.ts';
import { shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const sessionType = z.enum(['Dial', 'Bind']);
/** A router through which the client reaches the service. Older clients read `urls` instead of `supportedProtocols`. */
const sessionEdgeRouter = commonEdgeRouter
  .extend({
    /** Alias of `supportedProtocols`. */
    urls: z.record(string, string),
  })
  .meta({ id: 'SessionEdgeRouter' });

export const session = resource({
  kind: 'session',
  collection: 'sessions',
  right: 'ops',
  names: ['Session', 'Sessions'],
  about:
    'A session allows an API session to dial or bind one service. It ends when the API session ends, when no policy grants it any longer, or when its posture checks fail.',
  fields: {
    /** Id of the API session that the session belongs to. */
    apiSessionId: reference('apiSession', { write: 'never', onDelete: 'cascade', filter: 'apiSession' }),
    /** Id of the service. */
    serviceId: reference('service', { write: 'never', onDelete: 'cascade', filter: 'service' }),
    /** Id of the identity of the API session. */
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', alone: true }),
    /** `Dial` or `Bind`. */
    type: readOnly(sessionType, { filter: true, default: 'Dial' }),
    /** The id of the session, in place of the token, which is a credential. */
    token: readOnly(string, { keep: 'computed' }),
    /** Routers through which the client reaches the service. */
    edgeRouters: readOnly(z.array(sessionEdgeRouter).nullable(), { keep: 'computed' }),
    /** Service policies that grant the session. */
    servicePolicies: readOnly(z.array(entityReference), { keep: 'computed' }),
    /** Ids of the service policies that granted the session at its last review. Unless one of them changes, the session remains granted. */
    grantedBy: { ...readOnly(z.array(string).readonly(), { keep: 'hidden', default: [], volatile: true }), set: { of: 'values' } },
    /** When the first of its posture checks expires, unless something changes. */
    grantedUntil: readOnly(timestamp, { keep: 'hidden', index: true, volatile: true }),
    /** The token of the API session, encrypted: the routers of every controller must recognize it. Null in rows of earlier releases. */
    sealedApiSessionToken: sealed(string, ({ apiSessionId }) => `api-session:${apiSessionId}:token`),
  },
  subLinks: ['route-path'],
  symbols: { token: { path: 'id', type: 'string' } },
});

/** The body that requests a session. */
const sessionCreate = z
  .object({
    serviceId: shortText.optional().meta({ description: 'Id of the service. Required: without it, the answer is 404.' }),
    /** `Dial` or `Bind`. Default: `Dial`. */
    type: sessionType.default('Dial'),
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'SessionCreate' });

/** A new session, or the existing one of the API session. */
const createdSession = z
  .object({
    /** Null in this answer. */
    _links: z.null(),
    /** Null in this answer. */
    createdAt: z.null(),
    /** Id of the session. */
    id: string,
    /** Null in this answer. */
    updatedAt: z.null(),
    /** Null in this answer. */
    apiSession: z.null(),
    /** Id of the API session. */
    apiSessionId: string,
    /** Null in this answer. */
    service: z.null(),
    /** Id of the service. */
    serviceId: string,
    /** Id of the identity of the API session. */
    identityId: string,
    /** `Dial` or `Bind`. */
    type: sessionType,
    token: string.meta({ description: 'A JWT that authenticates the session to routers.' }),
    /** Routers through which the client reaches the service. */
    edgeRouters: z.array(sessionEdgeRouter),
  })
  .meta({ id: 'CreatedSession' });

/** The route of the traffic of a session. */
const routePath = z
  .object({
    /**
     * Ids of the routers along the path, starting with the router that the client uses. If the session has several circuits, this is the
     * path of the oldest.
     */
    routePath: z.array(string),
  })
  .meta({ id: 'SessionRoutePath' });

const onBothApis = { permission: 'session', surfaces: [surfaces.management, surfaces.client] } as const;

export const sessions = group('sessions', 'Sessions', {
  list: operation('GET', '/sessions', {
    operationId: 'listSessions',
    summary: 'List sessions: all sessions for administrators, otherwise those of the current identity',
    query: listQuery,
    answer: page(session.schemas.detail),
    ofAll: 'ops.read',
    presentOnly: true,
    ...onBothApis,
  }),
  get: operation('GET', '/sessions/{id}', {
    operationId: 'detailSession',
    summary: 'Get a session: any session for administrators, otherwise one of the current identity',
    answer: data(session.schemas.detail),
    ofAll: 'ops.read',
    presentOnly: true,
    ...onBothApis,
  }),
  create: operation('POST', '/sessions', {
    operationId: 'createSession',
    summary: 'Create a session to dial or bind a service; an existing session is returned with a new token',
    permission: 'session',
    surfaces: [surfaces.client],
    body: { schema: sessionCreate, name: 'session' },
    answer: { is: 'created', schema: createdSession },
    errors: ['NOT_FOUND', 'INVALID_POSTURE', 'NO_EDGE_ROUTERS_AVAILABLE'],
  }),
  delete: operation('DELETE', '/sessions/{id}', {
    operationId: 'deleteSession',
    summary: 'End a session: any session for administrators, otherwise one of the current identity',
    answer: EMPTY,
    ofAll: 'ops.delete',
    ...onBothApis,
  }),
  getRoutePath: operation('GET', '/sessions/{id}/route-path', {
    operationId: 'detailSessionRoutePath',
    presentOnly: true,
    summary: "Get the routers along a circuit of a session, starting with the client's; empty if this controller has no circuit of it",
    permission: 'ops.read',
    answer: data(routePath),
  }),
});
