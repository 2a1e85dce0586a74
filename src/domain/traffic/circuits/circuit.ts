/** A circuit: a connection of a client to a terminator, by the routers between them. */
export interface Circuit {
  readonly id: string;
  /** When it was set up, ISO text. */
  readonly createdAt: string;
  /** Id of the identity that has dialed. */
  readonly clientId: string;
  readonly serviceId: string;
  /** Ids of the routers that it goes through, the ingress first. */
  readonly path: readonly string[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
  readonly terminatorId: string;
  /** Lets go of its right. */
  release(): void;
}

/** The circuits that there are. In memory only: routers ask about those that they do not hear of. */
export interface Circuits {
  get(id: string): Circuit | undefined;
  all(): readonly Circuit[];
  add(circuit: Circuit): void;
  /** @returns what was known of it */
  remove(id: string): Circuit | undefined;
  /** Those that go through a router. */
  through(routerId: string): readonly Circuit[];
  /** Those that go over a link. */
  over(linkId: string): readonly Circuit[];
  /** Those that end at a terminator. */
  to(terminatorId: string): readonly Circuit[];
}

export const createCircuits = (): Circuits => {
  const byId = new Map<string, Circuit>();
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    add: (circuit) => void byId.set(circuit.id, circuit),
    remove: (id) => {
      const known = byId.get(id);
      byId.delete(id);
      known?.release();
      return known;
    },
    through: (routerId) => [...byId.values()].filter(({ path }) => path.includes(routerId)),
    over: (linkId) => [...byId.values()].filter(({ links }) => links.includes(linkId)),
    to: (terminatorId) => [...byId.values()].filter((circuit) => circuit.terminatorId === terminatorId),
  };
};
