import type { Frame } from '../../../control-channel/frame.ts';
import { Malformed } from '../../../control-channel/malformed.ts';
import { circuitMessages } from '../../../control-channel/messages/circuits.ts';
import type { HostedTerminators } from '../hosting/hosted.ts';
import type { Linking } from '../links/linking.ts';
import type { StandingRights } from '../rights/watch.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { HandlerRow, MessageHandler } from '../routers/handlers.ts';
import { type Circuit, createCircuits } from './circuit.ts';
import { type DialPlace, dial, refuseDial } from './dial.ts';
import { takeDown } from './route.ts';

const { createCircuit, fault, circuitConfirmation } = circuitMessages;

/** Circuits that one router may have under way at once. */
const MOST_DIALS = 1000;

/**
 * Circuits take as long as hosts take to accept. No message of the router waits for them: among those that follow are the answers that they need.
 */
const dialing = (place: DialPlace, router: ConnectedRouter): MessageHandler => {
  const { logger } = place.fabric.core.platform;
  let underWay = 0;
  return (frame) => {
    if (underWay >= MOST_DIALS) return refuseDial(router, frame, 'too many circuits are under way');
    underWay++;
    dial(place, router, frame)
      .catch((error: unknown) => {
        if (error instanceof Malformed) router.channel.close(error.message);
        else logger.warn('a circuit could not be made', { routerId: router.id, error });
      })
      .finally(() => underWay--);
  };
};

/** The circuits of this controller's routers. */
export interface CircuitKeeping {
  handlers(router: ConnectedRouter): readonly HandlerRow[];
  /** A router has connected. Circuits outlive the loss of a control channel: what has ended meanwhile is ended now. */
  began(router: ConnectedRouter): void;
  all(): readonly Circuit[];
  /** Ends a circuit at once. @returns whether it was known */
  end(id: string): boolean;
  /** The link is gone: the circuits over it end. */
  endOver(linkId: string): void;
}

/** Circuits that are remembered for one router that is not there. */
const MOST_OWED = 10_000;

const owe = (owed: Map<string, string[]>, routerId: string, circuitId: string): void => {
  const known = owed.get(routerId) ?? [];
  owed.set(routerId, [...known.slice(1 - MOST_OWED), circuitId]);
};

export const keepCircuits = (fabric: Fabric, rights: StandingRights, hosted: HostedTerminators, linking: Linking): CircuitKeeping => {
  const { connected, events } = fabric;
  const circuits = createCircuits();

  /** Circuits that have ended while a router on their way was not there: it is told when it comes again. */
  const owed = new Map<string, string[]>();

  const drop = ({ id, path }: Circuit, now: boolean): void => {
    if (!circuits.remove(id)) return;
    for (const routerId of path) {
      const router = connected.get(routerId);
      if (router) takeDown([router], id, now);
      else owe(owed, routerId, id);
    }
  };
  const endOver = (linkId: string): void => {
    for (const circuit of circuits.over(linkId)) drop(circuit, true);
  };
  const place = { fabric, rights, hosted, links: linking.links, circuits, end: (circuit: Circuit) => drop(circuit, true) };
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') for (const circuit of circuits.to(entityId)) drop(circuit, true);
  });

  for (const kind of ['router', 'edgeRouter'] as const)
    events.on(kind, ({ action, entityId, after }) => {
      const isIn = action !== 'delete' && !after?.disabled && after?.isVerified;
      if (!isIn) for (const circuit of circuits.through(entityId)) drop(circuit, true);
      if (action === 'delete') owed.delete(entityId);
    });

  /** What a router says of a circuit that does not go through it does not count: for this router there is none. */
  const ofRouter = (router: ConnectedRouter, id: string): Circuit | undefined => {
    const circuit = circuits.get(id);
    return circuit?.path.includes(router.id) ? circuit : undefined;
  };

  const faulty = (router: ConnectedRouter, frame: Frame): void => {
    const said = fault.decode(frame.body);
    const { subject, id } = said;
    if (subject === 'ingress' || subject === 'egress') {
      const circuit = ofRouter(router, id);
      if (circuit) drop(circuit, false);
    } else if (subject === 'forward' || subject === 'unknownOwnerForward')
      for (const one of id.split(' ').filter(Boolean)) {
        const circuit = ofRouter(router, one);
        if (circuit) drop(circuit, true);
        else takeDown([router], one, true);
      }
    else if (subject === 'linkDuplicate') linking.duplicate(router, said);
    else if (subject === 'link' && linking.broken(router, said)) endOver(id);
  };

  return {
    handlers: (router) => [
      [createCircuit, dialing(place, router)],
      [fault, (frame) => faulty(router, frame)],
      [
        circuitConfirmation,
        (frame) => {
          for (const id of circuitConfirmation.decode(frame.body).circuitIds) if (!ofRouter(router, id)) takeDown([router], id, true);
        },
      ],
    ],
    began: (router) => {
      for (const id of owed.get(router.id) ?? []) takeDown([router], id, true);
      owed.delete(router.id);
    },
    all: circuits.all,
    end: (id) => {
      const circuit = circuits.get(id);
      if (circuit) drop(circuit, true);
      return circuit !== undefined;
    },
    endOver,
  };
};
