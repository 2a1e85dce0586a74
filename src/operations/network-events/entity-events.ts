import type { Core } from '../../call/core.ts';
import type { Change, ChangedRow } from '../../contract/changes/events.ts';
import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import { COMPATIBLE_RELEASES } from '../../contract/version.ts';
import { isBearerId, sessionEvent } from '../../identity/sessions/session-event.ts';
import type { ChangeListeners } from '../../store/changelog/listeners.ts';
import { presentedChanges } from './entity-states.ts';

export const EVENT_TYPE = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** Emits the events of changes of entities, while someone listens: `entity.change`, `apiSession` and `session`. */
export const emitEntityEvents = (core: Core, events: Pick<ChangeListeners, 'on' | 'off'>): void => {
  const { networkEvents } = core;
  const onChange = (change: Change) => emitChange(core, change);
  const onApiSession = ({ action, before, after }: Change<'apiSession'>) => {
    const row = after ?? before;
    if (action !== 'update' && row) networkEvents.emit('apiSession', () => apiSessionEvent(EVENT_TYPE[action], row));
  };
  const onSession = ({ action, before, after }: Change<'session'>) => {
    const row = after ?? before;
    if (action !== 'update' && row) networkEvents.emit('session', () => sessionEvent(EVENT_TYPE[action], row));
  };
  const listen = <N extends 'change' | 'apiSession' | 'session'>(name: N, listener: Parameters<typeof events.on<N>>[1]) => {
    events.on(name, listener);
    return () => events.off(name, listener);
  };
  networkEvents.whileHeard(['entity.change'], () => listen('change', onChange));
  networkEvents.whileHeard(['apiSession'], () => listen('apiSession', onApiSession));
  networkEvents.whileHeard(['session'], () => listen('session', onSession));
};

const emitChange = ({ networkEvents, platform, settings }: Core, change: Change): void => {
  const all = presentedChanges(change);
  if (all.length === 0) return;
  const eventId = platform.random.uuid();
  const metadata = { author: authorOf(change), version: COMPATIBLE_RELEASES[settings.compat], trace_id: change.requestId };
  for (const presented of all)
    networkEvents.emit('entity.change', () => ({ eventId, eventType: EVENT_TYPE[change.action], metadata, ...presented }));
  networkEvents.emit('entity.change', () => ({ eventId, eventType: 'committed' }) as const);
};

/** Names are not stored with changes. */
const authorOf = ({ actor }: Pick<Change, 'actor'>) => {
  if (actor === 'anonymous') return { type: 'unattributed', id: '', name: '' } as const;
  return { type: actor === 'system' ? 'controller' : 'identity', id: actor, name: '' } as const;
};

const apiSessionEvent = (
  event_type: 'created' | 'deleted',
  { id, identityId, ipAddress }: ChangedRow<'apiSession'>,
): ToldEvent<'apiSession'> => ({
  event_type,
  id,
  type: isBearerId(id) ? 'jwt' : 'legacy',
  token: '',
  identity_id: identityId,
  ip_address: ipAddress,
});
