import { terminator } from '../../../api/terminators.ts';
import { after, MINUTE } from '../../../platform/clock.ts';
import { rowsById } from '../../../resources/references.ts';
import { type Authorizations, UNCHECKED } from '../authorization/watch.ts';
import type { RouterLinks } from '../links/router-links.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters, onRouterChange } from '../routers/fabric.ts';
import type { HandlerEntry } from '../routers/message-handlers.ts';
import type { Terminators } from '../terminators/terminators.ts';
import { recordCircuits } from './circuit-records.ts';
import { authorizationOf, type Circuit, createCircuitTable } from './circuit-table.ts';
import { dialHandlers } from './dial.ts';
import { faultHandlers } from './faults.ts';
import { createRerouting } from './rerouting.ts';
import { createUnrouting } from './unroute.ts';

/** The circuits of this controller's routers. They outlive the connections of their routers. */
export interface Circuits {
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /** Resolves once the circuits of earlier processes of this controller are restored. @throws errors of the store */
  restored(): Promise<void>;
  /** Unroutes the circuits that ended while the router was not connected. If it has restarted, ends or reroutes all circuits through it. */
  onConnect(router: ConnectedRouter): void;
  /** Reroutes circuits around the router immediately. Unless it reconnects in time, ends those that begin or end there, and forgets its links. */
  onDisconnect(router: ConnectedRouter): void;
  /** Reroutes the circuits over a closed link; those without another path end. */
  onLinkRemoved(linkId: string): void;
  all(): readonly Circuit[];
  /** @returns true if the circuit was known */
  end(id: string): boolean;
}

export const serveCircuits = (fabric: Fabric, authorizations: Authorizations, terminators: Terminators, links: RouterLinks): Circuits => {
  const { core, connected, events } = fabric;
  const records = recordCircuits(core);
  const circuits = createCircuitTable(records);
  const unrouting = createUnrouting(connected);
  const { unroute } = unrouting;
  const end = (id: string, isImmediate = true): void => unroute(circuits.remove(id)?.path ?? [], id, isImmediate);
  const rerouting = createRerouting({ fabric, links, circuits, unroute, end });
  const dialDependencies = { fabric, authorizations, terminators, links, circuits, end };

  const beginsOrEndsAt = (routerId: string, { path }: Circuit): boolean => path[0] === routerId || path.at(-1) === routerId;
  const passingThrough = (routerId: string) => circuits.through(routerId).filter((circuit) => !beginsOrEndsAt(routerId, circuit));

  const abandon = (routerId: string): void => {
    const passing = passingThrough(routerId);
    for (const circuit of circuits.through(routerId)) if (beginsOrEndsAt(routerId, circuit)) end(circuit.id);
    rerouting.reroute(passing, 'end');
  };
  /** Functions that cancel the timers of disconnected routers, by router id. */
  const timers = new Map<string, () => void>();
  const cancelTimer = (routerId: string): void => {
    timers.get(routerId)?.();
    timers.delete(routerId);
  };
  const abandonLater = (routerId: string): void => {
    cancelTimer(routerId);
    const cancel = after(core.platform.clock, core.settings.unknownConnectionMinutes * MINUTE, () => {
      timers.delete(routerId);
      abandon(routerId);
      links.forget(routerId);
    });
    timers.set(routerId, cancel);
  };

  /** Runs before the first router is admitted: a router that reports an unknown circuit is instructed to end it. */
  const restore = async (): Promise<void> => {
    const recorded = await records.read();
    const terminatorIds = recorded.map(({ terminatorId }) => terminatorId);
    const stored = await forRouters(core, (job) => job.read((entities) => rowsById(entities, terminator, terminatorIds)));
    for (const circuit of recorded) {
      const stopWatching = authorizations.watch(authorizationOf(circuit), UNCHECKED, () => end(circuit.id));
      circuits.restore({ ...circuit, stopWatching });
      if (!stored.has(circuit.terminatorId)) end(circuit.id);
    }
    for (const routerId of new Set(recorded.flatMap(({ path }) => path))) abandonLater(routerId);
  };
  let restoring: Promise<void> | undefined;

  links.onUnreported((linkId) => rerouting.reroute(circuits.over(linkId), 'keep'));
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') for (const { id } of circuits.to(entityId)) end(id);
  });
  onRouterChange(events, ({ action, entityId, after: row }) => {
    if (action !== 'delete' && !row?.disabled && row?.isVerified) return;
    cancelTimer(entityId);
    abandon(entityId);
    if (action === 'delete') unrouting.onDelete(entityId);
  });

  return {
    handlers: (router) => [...dialHandlers(dialDependencies, router), ...faultHandlers({ circuits, links, rerouting, end }, router)],
    restored: () =>
      (restoring ??= restore().catch((error: unknown) => {
        // Retried when the next router connects.
        restoring = undefined;
        throw error;
      })),
    onConnect: (router) => {
      cancelTimer(router.id);
      unrouting.onConnect(router);
      if (router.isRestarted) abandon(router.id);
    },
    onDisconnect: ({ id }) => {
      // It may have reconnected already.
      if (connected.get(id)) return;
      rerouting.reroute(passingThrough(id), 'keep');
      abandonLater(id);
    },
    onLinkRemoved: (linkId) => rerouting.reroute(circuits.over(linkId), 'end'),
    all: circuits.all,
    end: (id) => {
      const wasKnown = circuits.get(id) !== undefined;
      end(id);
      return wasKnown;
    },
  };
};
