import { rowsById } from '../../call/resources/references.ts';
import { terminator } from '../../contract/api/terminators.ts';
import { after, MINUTE } from '../../runtime/platform/clock.ts';
import { RequestRefused } from '../authorization/authorize.ts';
import { type Authorizations, UNCHECKED } from '../authorization/watch.ts';
import type { Terminators } from '../hosted-terminators/terminators.ts';
import { createJournal, type Journal } from '../journal/journal.ts';
import type { RouterLinks } from '../links/router-links.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters, onRouterChange } from '../registry/fabric.ts';
import type { HandlerEntry } from '../registry/message-handlers.ts';
import { type CircuitEvents, createCircuitEvents } from './circuit-events.ts';
import { type CircuitRecords, createCircuitRecords, type RecordedCircuit } from './circuit-records.ts';
import { authorizationOf, type Circuit, type CircuitTable, createCircuitTable } from './circuit-table.ts';
import { dialHandlers } from './dial.ts';
import { createDialCounts } from './dial-counts.ts';
import { causeOf, failureReasonOf } from './failure-cause.ts';
import { faultHandlers } from './fault-handlers.ts';
import { createRerouting } from './rerouting.ts';
import { createUnrouting } from './unroute.ts';
import { createUsageEvents, type HandleUsage } from './usage-events.ts';

/** The circuits of this controller's routers. They outlive the connections of their routers. */
export interface Circuits {
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /**
   * Resolves once the circuits of earlier processes of this controller are restored.
   * @throws errors of the store
   */
  restored(): Promise<void>;
  /** Unroutes the circuits that ended while the router was not connected. If it has restarted, ends or reroutes all circuits through it. */
  onConnect(router: ConnectedRouter): void;
  /**
   * Reroutes circuits around the router immediately. Unless it reconnects in time, ends those that begin or end there, and forgets its
   * links.
   */
  onDisconnect(router: ConnectedRouter): void;
  /** Reroutes the circuits over a closed link; those without another path end. */
  onLinkRemoved(linkId: string): void;
  /** Moves the circuits over a link to the paths that are now the cheapest; those without another path stay. */
  onLinkChanged(linkId: string): void;
  all(): readonly Circuit[];
  get(id: string): Circuit | undefined;
  /** Handles the usage that a router reports. */
  usage(routerId: string): HandleUsage;
  /** @returns true if the circuit was known */
  end(id: string): boolean;
}

export const serveCircuits = (fabric: Fabric, authorizations: Authorizations, terminators: Terminators, links: RouterLinks): Circuits => {
  const { core, connected, events } = fabric;
  const records = createCircuitRecords(core);
  const { clock } = core.platform;
  const journal = createJournal(core, {
    quotas: core.usageQuotas,
    exceeded: (quota) => core.networkEvents.emit('quota', () => quota),
  });
  const circuitEvents = withJournal(
    createCircuitEvents(core.networkEvents, () => clock.now()),
    journal,
  );
  const circuits = createCircuitTable(records, circuitEvents);
  const unrouting = createUnrouting(connected);
  const { unroute } = unrouting;
  const end = (id: string, isImmediate = true): void => unroute(circuits.remove(id)?.path ?? [], id, isImmediate);
  const rerouting = createRerouting({ fabric, links, circuits, unroute, end });
  const dialDependencies = {
    fabric,
    authorizations,
    terminators,
    links,
    circuits,
    events: circuitEvents,
    counts: createDialCounts(core.networkEvents, clock),
    end,
  };

  const passingThrough = (routerId: string) => circuits.through(routerId).filter((circuit) => !beginsOrEndsAt(routerId, circuit));

  const abandon = (routerId: string): void => {
    const passing = passingThrough(routerId);
    for (const circuit of circuits.through(routerId)) if (beginsOrEndsAt(routerId, circuit)) end(circuit.id);
    rerouting.reroute(passing, 'end');
  };
  const timers = createRouterTimers(core, (routerId) => {
    abandon(routerId);
    links.forget(routerId);
  });
  const restore = async (): Promise<void> => {
    const restored = await restoreCircuits({ core, records, circuits, authorizations, journal, end });
    for (const routerId of new Set(restored.flatMap(({ path }) => path))) timers.start(routerId);
  };
  let restoring: Promise<void> | undefined;

  const keepOrMove = (linkId: string): void => rerouting.reroute(circuits.over(linkId), 'keep');
  links.onUnreported(keepOrMove);
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') for (const { id } of circuits.to(entityId)) end(id);
  });
  onRouterChange(events, ({ action, entityId, after: row }) => {
    if (action !== 'delete' && !row?.disabled && row?.isVerified) return;
    timers.cancel(entityId);
    abandon(entityId);
    if (action === 'delete') unrouting.onDelete(entityId);
  });

  return {
    handlers: (router) => [...dialHandlers(dialDependencies, router), ...faultHandlers({ core, circuits, links, rerouting, end }, router)],
    restored: () =>
      (restoring ??= restore().catch((error: unknown) => {
        // Retried when the next router connects.
        restoring = undefined;
        throw error;
      })),
    onConnect: (router) => {
      timers.cancel(router.id);
      unrouting.onConnect(router);
      if (router.isRestarted) abandon(router.id);
    },
    onDisconnect: ({ id }) => {
      // It may have reconnected already.
      if (connected.get(id)) return;
      rerouting.reroute(passingThrough(id), 'keep');
      timers.start(id);
    },
    onLinkRemoved: (linkId) => rerouting.reroute(circuits.over(linkId), 'end'),
    onLinkChanged: keepOrMove,
    all: circuits.all,
    get: circuits.get,
    usage: createUsageEvents(core.networkEvents, circuits, journal, core.platform),
    end: (id) => {
      const wasKnown = circuits.get(id) !== undefined;
      end(id);
      return wasKnown;
    },
  };
};

/** The events of circuits, which are also entered in the journal. */
const withJournal = (events: CircuitEvents, journal: Journal): CircuitEvents => ({
  created: (circuit, ...details) => {
    journal.began(circuit);
    events.created(circuit, ...details);
  },
  pathUpdated: (circuit) => {
    journal.moved(circuit);
    events.pathUpdated(circuit);
  },
  deleted: (circuit) => {
    journal.ended(circuit);
    events.deleted(circuit);
  },
  failed: (attempt) => {
    const { id: circuitId, error } = attempt;
    const authorization = attempt.authorization ?? (error instanceof RequestRefused ? error.denied?.authorization : undefined);
    // Who is not known cannot be named: their attempts are in the log of the router.
    if (authorization) journal.failed({ circuitId, authorization, cause: causeOf(error), reason: failureReasonOf(error) });
    events.failed(attempt);
  },
});

const beginsOrEndsAt = (routerId: string, { path }: Circuit): boolean => path[0] === routerId || path.at(-1) === routerId;

/** Timers of disconnected routers, one per router. */
interface RouterTimers {
  /** Starts the timer of a router, or restarts it. */
  start(routerId: string): void;
  cancel(routerId: string): void;
}

/** @param onTimeout called if a router has not reconnected in time */
const createRouterTimers = ({ platform, settings }: Fabric['core'], onTimeout: (routerId: string) => void): RouterTimers => {
  const cancels = new Map<string, () => void>();
  const cancel = (routerId: string): void => {
    cancels.get(routerId)?.();
    cancels.delete(routerId);
  };
  return {
    cancel,
    start: (routerId) => {
      cancel(routerId);
      const expire = () => {
        cancels.delete(routerId);
        onTimeout(routerId);
      };
      cancels.set(routerId, after(platform.clock, settings.unknownConnectionMinutes * MINUTE, expire));
    },
  };
};

interface Restoration {
  readonly core: Fabric['core'];
  readonly records: CircuitRecords;
  readonly circuits: CircuitTable;
  readonly authorizations: Authorizations;
  readonly journal: Journal;
  end(circuitId: string): void;
}

/**
 * Restores the recorded circuits, and ends those whose terminator no longer exists. Must run before the first router is admitted, because
 * a router that reports an unknown circuit is instructed to end it.
 * @returns the recorded circuits
 */
const restoreCircuits = async ({
  core,
  records,
  circuits,
  authorizations,
  journal,
  end,
}: Restoration): Promise<readonly RecordedCircuit[]> => {
  const recorded = await records.read();
  const terminatorIds = recorded.map(({ terminatorId }) => terminatorId);
  const stored = await forRouters(core, (job) => job.read((entities) => rowsById(entities, terminator, terminatorIds)));
  for (const circuit of recorded) {
    const stopWatching = authorizations.watch(authorizationOf(circuit), UNCHECKED, () => end(circuit.id));
    circuits.restore({ ...circuit, stopWatching });
    journal.began(circuit);
    if (!stored.has(circuit.terminatorId)) end(circuit.id);
  }
  journal.restored();
  return recorded;
};
