import type { Core } from '../../call/core.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import { createRequestRate } from '../../runtime/platform/request-rate.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { timeOf } from './identity-events.ts';

type Alert = MessageBody<(typeof routerMessages)['alerts']>['alerts'][number];

/** Maximum number of alerts of a router per minute. Others are dropped. */
const ALERTS_PER_MINUTE = 60;
/** Bounds of the texts of an alert, and of its lists. */
const MAX_TEXT = 1024;
const MAX_ENTRIES = 16;

/** Handles the alerts of a router for its operator: each becomes an event. */
export const alertHandler = (
  { networkEvents, platform }: Pick<Core, 'networkEvents' | 'platform'>,
  { id }: ConnectedRouter,
): HandlerEntry => {
  const rate = createRequestRate(platform.clock);
  return handle(routerMessages.alerts, ({ alerts }) => {
    for (const alert of alerts) if (rate.take(ALERTS_PER_MINUTE) === 0) networkEvents.emit('alert', () => alertEvent(id, alert));
  });
};

/** The types of sources whose alerts are those of the router that reports them: it speaks for no other router. */
const OWN: ReadonlySet<string> = new Set(['self', 'router', 'controller']);

/**
 * Routers speak of themselves as `self`. Alerts from other sources are related to the router that reports them. A tunneler is also an
 * identity with the id of its router.
 */
const alertEvent = (routerId: string, { sourceType, sourceId, timestamp, severity, message, details, relatedEntities }: Alert) => {
  const isOwn = OWN.has(sourceType);
  const related = new Map(
    [...relatedEntities].slice(0, MAX_ENTRIES).map(([type, id]) => [beginningOf(type, MAX_TEXT), beginningOf(id, MAX_TEXT)]),
  );
  const self = related.get('self');
  if (related.delete('self') || !isOwn) related.set('router', routerId);
  if (self === 'ert') related.set('identity', routerId);
  return {
    ...timeOf(timestamp),
    alert_source_type: isOwn ? 'router' : beginningOf(sourceType, MAX_TEXT),
    alert_source_id: isOwn ? routerId : beginningOf(sourceId, MAX_TEXT),
    severity: beginningOf(severity, MAX_TEXT),
    message: beginningOf(message, MAX_TEXT),
    details: details.slice(0, MAX_ENTRIES).map((detail) => beginningOf(detail, MAX_TEXT)),
    related_entities: Object.fromEntries([...related].sort()),
  };
};
