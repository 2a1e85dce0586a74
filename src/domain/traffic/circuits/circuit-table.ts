import { createGroups } from '../../../platform/groups.ts';
import type { TrafficRight } from '../authorization/right.ts';
import type { CircuitRecords } from './circuit-records.ts';

/** The way of a circuit through the fabric. */
export interface CircuitWay {
  /** Ids of the routers that it goes through, the ingress first. */
  readonly path: readonly string[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
}

/** A circuit: a connection of a client to a terminator, by the routers between them. */
export interface Circuit extends CircuitWay, Pick<TrafficRight, 'serviceId' | 'sessionId' | 'isStored' | 'apiSessionId'> {
  readonly id: string;
  /** When it was set up, ISO text. */
  readonly createdAt: string;
  /** Id of the identity that has dialed. */
  readonly clientId: string;
  /** What its two ends are called. */
  readonly ingress: string;
  readonly egress: string;
  readonly terminatorId: string;
  /** What routers note with its traffic. */
  readonly tags: ReadonlyMap<string, string>;
  /** How often its routers were told their part. */
  readonly attempts: number;
  /** Lets go of its right. */
  release(): void;
}

/** A circuit that does not stand on its right yet. */
export type UnboundCircuit = Omit<Circuit, 'release'>;

/** What a circuit stands on. */
export const rightOfCircuit = ({ clientId, serviceId, sessionId, isStored, apiSessionId, path }: UnboundCircuit): TrafficRight => ({
  sessionId,
  isStored,
  apiSessionId,
  identityId: clientId,
  serviceId,
  type: 'Dial',
  routerId: path[0] ?? '',
});

/** The circuits that there are. Routers ask about those that they do not hear of. */
export interface Circuits {
  get(id: string): Circuit | undefined;
  all(): readonly Circuit[];
  /** Says that a circuit is being set up, before it is added. @returns what says that this is over */
  making(id: string): () => void;
  isBeingMade(id: string): boolean;
  add(circuit: Circuit): void;
  /** Adds one that is recorded already. */
  restore(circuit: Circuit): void;
  /** Gives a circuit that is still there another way. */
  move(id: string, way: CircuitWay): void;
  /** @returns what was known of it */
  remove(id: string): Circuit | undefined;
  /** Those that go through a router. */
  through(routerId: string): readonly Circuit[];
  /** Those that go over a link. */
  over(linkId: string): readonly Circuit[];
  /** Those that end at a terminator. */
  to(terminatorId: string): readonly Circuit[];
}

export const createCircuits = (records: CircuitRecords): Circuits => {
  const byId = new Map<string, Circuit>();
  const beingMade = new Set<string>();
  const byRouter = createGroups<Circuit>(({ path }) => path);
  const byLink = createGroups<Circuit>(({ links }) => links);
  const byTerminator = createGroups<Circuit>(({ terminatorId }) => [terminatorId]);
  const groups = [byRouter, byLink, byTerminator];

  const restore = (circuit: Circuit): void => {
    byId.set(circuit.id, circuit);
    for (const group of groups) group.add(circuit);
  };
  const add = (circuit: Circuit): void => {
    restore(circuit);
    records.note(circuit);
  };
  const take = (id: string): Circuit | undefined => {
    const known = byId.get(id);
    if (!known) return undefined;
    byId.delete(id);
    for (const group of groups) group.remove(known);
    return known;
  };
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    making: (id) => {
      beingMade.add(id);
      return () => void beingMade.delete(id);
    },
    isBeingMade: (id) => beingMade.has(id),
    add,
    restore,
    move: (id, { path, links }) => {
      const known = take(id);
      if (known) add({ ...known, path, links, attempts: known.attempts + 1 });
    },
    remove: (id) => {
      const known = take(id);
      if (known) records.forget(id);
      known?.release();
      return known;
    },
    through: byRouter.of,
    over: byLink.of,
    to: byTerminator.of,
  };
};
