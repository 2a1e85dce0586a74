import type { ChangedRow } from '../../contract/changes/events.ts';
import type { ToldEvent } from '../../contract/network-events/kinds.ts';

/** API sessions that signed tokens represent have UUIDs as ids. */
export const isBearerId = (apiSessionId: string): boolean => /^[\da-f]{8}-/.test(apiSessionId);

/** The event of a session, which does not contain its token. */
export const sessionEvent = (
  event_type: 'created' | 'deleted',
  {
    id,
    apiSessionId,
    identityId,
    serviceId,
    type,
  }: Pick<ChangedRow<'session'>, 'id' | 'apiSessionId' | 'identityId' | 'serviceId' | 'type'>,
): ToldEvent<'session'> => ({
  event_type,
  session_type: type,
  provider: isBearerId(apiSessionId) ? 'jwt' : 'legacy',
  id,
  token: '',
  api_session_id: apiSessionId,
  identity_id: identityId,
  service_id: serviceId,
});
