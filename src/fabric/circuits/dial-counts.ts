import type { NetworkEvents } from '../../runtime/observability/network-events.ts';
import { after, MINUTE } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { routeErrorCode } from '../control-channel/messages/circuits.ts';
import { Unanswered } from '../control-channel/requests.ts';
import { RouteFailed } from './route.ts';

/** Counts dials by service, terminator and outcome, and emits the counts of each minute, while someone listens. */
export interface DialCounts {
  succeeded(serviceId: string, terminatorId: string): void;
  /** @param terminatorId empty if no terminator was tried */
  failed(serviceId: string, terminatorId: string, error: unknown): void;
}

/** Maximum number of counts per minute. Further services and terminators are not counted. */
const MAX_COUNTS = 10_000;

const SECOND = 1000;

export const createDialCounts = (events: NetworkEvents, clock: Clock): DialCounts => {
  const counts = new Map<
    string,
    { readonly event_type: string; readonly service_id: string; readonly terminator_id: string; count: number }
  >();
  let begins = 0;
  const emitAll = () => {
    for (const { count, ...counted } of counts.values())
      events.emit('service', () => ({
        version: 2,
        ...counted,
        count,
        interval_start_utc: begins / SECOND,
        interval_length: MINUTE / SECOND,
      }));
    counts.clear();
  };
  const count = (outcome: string, service_id: string, terminator_id: string) => {
    if (!events.isHeard('service')) return;
    if (counts.size === 0) {
      const now = clock.now();
      begins = now - (now % MINUTE);
      after(clock, begins + MINUTE - now, emitAll);
    }
    const event_type = `service.dial.${outcome}`;
    const key = `${event_type}/${service_id}/${terminator_id}`;
    const existing = counts.get(key);
    if (existing) existing.count++;
    else if (counts.size < MAX_COUNTS) counts.set(key, { event_type, service_id, terminator_id, count: 1 });
  };
  return {
    succeeded: (serviceId, terminatorId) => count('success', serviceId, terminatorId),
    failed: (serviceId, terminatorId, error) => count(outcomeOf(error), serviceId, terminatorId),
  };
};

const OUTCOMES: Readonly<Record<number, string>> = {
  [routeErrorCode.timedOut]: 'terminator.timeout',
  [routeErrorCode.refused]: 'terminator.connection_refused',
  [routeErrorCode.invalidTerminator]: 'terminator.invalid',
  [routeErrorCode.misconfiguredTerminator]: 'terminator.misconfigured',
};

const outcomeOf = (error: unknown): string => {
  if (error instanceof Unanswered) return 'timeout';
  return error instanceof RouteFailed ? (OUTCOMES[error.code] ?? 'fail') : 'error_other';
};
