/** Circuits that have ended while a router on their way was not there: it is told when it comes again. */
export interface OwedEnds {
  note(routerId: string, circuitId: string): void;
  /** Those of a router, which are forgotten with that. */
  take(routerId: string): readonly string[];
}

/** Circuits that are remembered for one router, and routers; the oldest are forgotten. Routers ask about circuits that they do not hear of. */
const MOST = 10_000;

export const createOwedEnds = (): OwedEnds => {
  const byRouter = new Map<string, Set<string>>();
  return {
    note: (routerId, circuitId) => {
      const known = byRouter.get(routerId) ?? new Set();
      byRouter.set(routerId, known.add(circuitId));
      forgetOldest(known);
      forgetOldest(byRouter);
    },
    take: (routerId) => {
      const known = [...(byRouter.get(routerId) ?? [])];
      byRouter.delete(routerId);
      return known;
    },
  };
};

const forgetOldest = (some: Map<string, unknown> | Set<string>): void => {
  const [oldest] = some.size > MOST ? some.keys() : [];
  if (oldest !== undefined) some.delete(oldest);
};
