import * as z from 'zod';
import { apiSession } from './api-sessions.ts';
import { data, EMPTY, group, listQuery, operation, page, string, timestamp } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** An API session that has not ended, with or without signed tokens of the OpenID provider. */
const liveApiSession = z
  .intersection(
    apiSession.schemas.detail,
    z.object({
      /** Id of the OpenID client that the session belongs to; null for a session without signed tokens. */
      clientId: string.nullable(),
      /** When the session ends unless it is used. */
      expiresAt: timestamp,
    }),
  )
  .meta({ id: 'LiveApiSession' });

const onExtensions = { surfaces: [surfaces.extensions] } as const;

/** The published API lists only the sessions without signed tokens; these operations have all. */
export const liveApiSessions = group('liveApiSessions', 'API sessions, including those with signed tokens', {
  list: operation('GET', '/api-sessions', {
    operationId: 'listLiveApiSessions',
    summary: 'List the API sessions that have not ended, including those with signed tokens',
    permission: 'ops.read',
    query: listQuery,
    answer: page(liveApiSession),
    presentOnly: true,
    ...onExtensions,
  }),
  get: operation('GET', '/api-sessions/{id}', {
    operationId: 'detailLiveApiSession',
    summary: 'Get an API session that has not ended, with or without signed tokens',
    permission: 'ops.read',
    answer: data(liveApiSession),
    presentOnly: true,
    ...onExtensions,
  }),
  delete: operation('DELETE', '/api-sessions/{id}', {
    operationId: 'deleteLiveApiSession',
    summary: 'End an API session, and revoke its signed tokens',
    permission: 'ops.delete',
    answer: EMPTY,
    ...onExtensions,
  }),
});
