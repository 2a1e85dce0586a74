import { MINUTE } from '../../../platform/durations.ts';
import { after } from '../../../platform/timers.ts';
import type { StandingRights } from '../authorization/watch.ts';
import type { Linking } from '../links/links.ts';
import { onRouterChange } from '../routers/changes.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { HandlerRow } from '../routers/message-handlers.ts';
import type { Hosting } from '../terminators/terminators.ts';
import { recordCircuits } from './circuit-records.ts';
import { circuitRequests } from './circuit-requests.ts';
import { type Circuit, createCircuits } from './circuit-table.ts';
import { type DialPlace, dial, refuseDial } from './dial.ts';
import { faultHandlers } from './faults.ts';
import { createOwedEnds } from './pending-unroutes.ts';
import { createRerouting } from './rerouting.ts';
import { restoreCircuits } from './restore.ts';
import { takeDown } from './route.ts';

/** Circuits that one router may have under way at once. */
const MOST_DIALS = 1000;

/**
 * Circuits take as long as hosts take to accept. No message of the router waits for them: among those that follow are the answers that they need.
 */
const dialing = (place: DialPlace, router: ConnectedRouter): readonly HandlerRow[] => {
  const { logger } = place.fabric.core.platform;
  let underWay = 0;
  return circuitRequests.map((request) =>
    request((asked, frame, answer) => {
      if (underWay >= MOST_DIALS) return refuseDial(router, frame, 'too many circuits are under way');
      underWay++;
      dial(place, asked, router, frame, answer)
        .catch((error: unknown) => logger.warn('a circuit could not be made', { routerId: router.id, error }))
        .finally(() => underWay--);
    }),
  );
};

/** The circuits of this controller's routers. */
export interface CircuitKeeping {
  handlers(router: ConnectedRouter): readonly HandlerRow[];
  /** Resolves when the circuits are known again that an earlier process of this controller has left. @throws what the store throws */
  restored(): Promise<void>;
  /**
   * A router has connected. Circuits outlive the loss of a control channel: what has ended meanwhile is ended now. Not so that of the router itself: then it
   * knows nothing of circuits any more.
   */
  began(router: ConnectedRouter): void;
  all(): readonly Circuit[];
  /** Ends a circuit at once. @returns whether it was known */
  end(id: string): boolean;
  /** The link is gone: the circuits over it go another way, or end. */
  endOver(linkId: string): void;
  /** The connection of a router is lost. It may hand on all the same, and connect again soon. */
  lost(router: ConnectedRouter): void;
}

export const keepCircuits = (fabric: Fabric, rights: StandingRights, hosting: Hosting, linking: Linking): CircuitKeeping => {
  const { core, connected, events } = fabric;
  const { links } = linking;
  const records = recordCircuits(core);
  const circuits = createCircuits(records);
  const owed = createOwedEnds();
  /** Of routers whose connection is lost: what calls off that they are given up. */
  const givingUp = new Map<string, () => void>();

  const leave = (routerIds: readonly string[], id: string, now: boolean): void => {
    for (const routerId of routerIds) {
      const router = connected.get(routerId);
      if (router) takeDown([router], id, now);
      else owed.note(routerId, id);
    }
  };
  const drop = (id: string, now: boolean): void => leave(circuits.remove(id)?.path ?? [], id, now);
  const end = (id: string): void => drop(id, true);
  const rerouting = createRerouting({ fabric, links, circuits, leave, end });
  const place = { fabric, rights, hosting, links, circuits, end };

  const isEndOf = (routerId: string, { path }: Circuit): boolean => path[0] === routerId || path.at(-1) === routerId;

  /** Circuits go around a router that is not there any more; those that begin or end there, end. */
  const giveUp = (routerId: string): void => {
    const all = circuits.through(routerId);
    for (const circuit of all) if (isEndOf(routerId, circuit)) end(circuit.id);
    rerouting.move(
      all.filter((circuit) => !isEndOf(routerId, circuit)),
      'end',
    );
  };

  const callOff = (routerId: string): void => {
    givingUp.get(routerId)?.();
    givingUp.delete(routerId);
  };
  const giveUpLater = (routerId: string): void => {
    callOff(routerId);
    const cancel = after(core.platform.clock, core.settings.unknownConnectionMinutes * MINUTE, () => {
      givingUp.delete(routerId);
      giveUp(routerId);
    });
    givingUp.set(routerId, cancel);
  };
  const restored = restoreCircuits({ core, rights, records, circuits, end, giveUpLater });

  linking.onForgotten((linkId) => rerouting.move(circuits.over(linkId), 'stay'));
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') for (const { id } of circuits.to(entityId)) end(id);
  });
  onRouterChange(events, ({ action, entityId, after: row }) => {
    if (action !== 'delete' && !row?.disabled && row?.isVerified) return;
    callOff(entityId);
    giveUp(entityId);
    if (action === 'delete') owed.take(entityId);
  });

  return {
    handlers: (router) => [...dialing(place, router), ...faultHandlers({ circuits, linking, rerouting, drop }, router)],
    restored,
    began: (router) => {
      callOff(router.id);
      for (const id of owed.take(router.id)) takeDown([router], id, true);
      if (router.isAnew) giveUp(router.id);
    },
    all: circuits.all,
    end: (id) => {
      const wasKnown = circuits.get(id) !== undefined;
      end(id);
      return wasKnown;
    },
    endOver: (linkId) => rerouting.move(circuits.over(linkId), 'end'),
    lost: ({ id }) => {
      // Another connection of it may be there already.
      if (connected.get(id)) return;
      rerouting.move(
        circuits.through(id).filter((circuit) => !isEndOf(id, circuit)),
        'stay',
      );
      giveUpLater(id);
    },
  };
};
