import type { Core } from '../../call/core.ts';
import { terminator } from '../../contract/api/terminators.ts';
import type { Change } from '../../contract/changes/events.ts';
import type { NetworkEvent, ToldEvent } from '../../contract/network-events/kinds.ts';
import { and, equals, type Predicate, stringField } from '../../query/index.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { ChangeListeners } from '../../store/changelog/listeners.ts';
import { EVENT_TYPE } from './entity-events.ts';

type TerminatorEvent = ToldEvent<'terminator'>;

/** The fields of a terminator that its events have. Changes do not tell the host. */
interface ToldTerminator {
  readonly id: string;
  readonly serviceId: string;
  readonly routerId: string;
  readonly hostId?: string | null | undefined;
  readonly identity?: string | null;
  readonly precedence?: TerminatorEvent['precedence'] | null;
  readonly cost?: number | null;
}

/** Maximum number of terminators whose events wait until the others of their services are counted. Further ones are not counted. */
const MAX_WAITING = 1000;

/** Maximum number of terminators of a router that have an event when it connects or is disconnected. */
const MAX_OF_ROUTER = 1000;

/** Maximum number of terminators of a service that are counted for an event. */
const MAX_COUNTED = 500;

const ORIGIN = { actor: 'system', requestId: 'network-events' };

/** Emits the events of terminators, while someone listens: of their changes, and of routers that connect and are disconnected. */
export const emitTerminatorEvents = (core: Core, events: Pick<ChangeListeners, 'on' | 'off'>): void => {
  const { networkEvents } = core;
  const counting = createSemaphore(1, MAX_WAITING);
  const counted = (serviceId: string) => counting.run(() => terminatorsOf(core, serviceId)).catch(() => undefined);
  const onChange = async ({ action, before, after }: Change<'terminator'>) => {
    const row = after ?? before;
    if (!row) return;
    const ofService = await counted(row.serviceId);
    const told = { ...row, hostId: ofService?.find(({ id }) => id === row.id)?.hostId };
    networkEvents.emit('terminator', () => terminatorEvent(core, EVENT_TYPE[action], told, ofService));
  };
  const onRouter = async ({ event_type, router_id }: NetworkEvent<'router'>): Promise<void> => {
    const services = new Map<string, readonly ToldTerminator[] | undefined>();
    // Nothing is read while the controller closes.
    for (const row of await counting.run(() => terminatorsAt(core, router_id)).catch(() => [])) {
      if (!services.has(row.serviceId)) services.set(row.serviceId, await counted(row.serviceId));
      networkEvents.emit('terminator', () => terminatorEvent(core, event_type, row, services.get(row.serviceId)));
    }
  };
  networkEvents.whileHeard(['terminator'], () => {
    events.on('terminator', onChange);
    networkEvents.on('router', onRouter);
    return () => {
      events.off('terminator', onChange);
      networkEvents.off('router', onRouter);
    };
  });
};

type TerminatorCounts = Pick<TerminatorEvent, 'total_terminators' | 'usable_default_terminators' | 'usable_required_terminators'>;

const UNCOUNTED: TerminatorCounts = { total_terminators: -1, usable_default_terminators: -1, usable_required_terminators: -1 };

const listWhere = ({ background }: Core, where: Predicate, limit: number): Promise<readonly ToldTerminator[]> =>
  background.run(ORIGIN, (job) => job.read((entities) => entities.list(terminator, { where, limit })));

const terminatorsAt = (core: Core, routerId: string) => listWhere(core, and(equals(stringField('routerId'), routerId)), MAX_OF_ROUTER);

const terminatorsOf = (core: Core, serviceId: string) => listWhere(core, and(equals(stringField('serviceId'), serviceId)), MAX_COUNTED);

const countsIn = (terminators: readonly ToldTerminator[], connected: ReadonlySet<string>): TerminatorCounts => {
  const usable = (precedence: string) =>
    terminators.filter((row) => (row.precedence ?? 'default') === precedence && connected.has(row.routerId)).length;
  return {
    total_terminators: terminators.length,
    usable_default_terminators: usable('default'),
    usable_required_terminators: usable('required'),
  };
};

/** @param ofService the terminators of its service; undefined if they are not known */
const terminatorEvent = (
  { presence }: Core,
  event_type: TerminatorEvent['event_type'],
  { id, serviceId, routerId, hostId, identity, precedence, cost }: ToldTerminator,
  ofService: readonly ToldTerminator[] | undefined,
): TerminatorEvent => {
  const connected = new Set(presence.keys().map((key) => key.id));
  return {
    event_type,
    service_id: serviceId,
    terminator_id: id,
    router_id: routerId,
    host_id: hostId ?? '',
    instance_id: identity ?? '',
    router_online: connected.has(routerId),
    precedence: precedence ?? 'default',
    static_cost: cost ?? 0,
    dynamic_cost: 0,
    ...(ofService ? countsIn(ofService, connected) : UNCOUNTED),
  };
};
