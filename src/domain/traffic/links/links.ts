import type { LinkConnection } from '../../../presence/traffic.ts';

/** A link: two routers that are connected to each other. */
export interface RouterLink {
  readonly id: string;
  /** Id of the router that has dialed it, which reports it. */
  readonly from: string;
  readonly to: string;
  /** Grows each time that it is dialed again. */
  readonly iteration: number;
  readonly protocol: string;
  /** Where the one router has reached the other. */
  readonly dialAddress: string;
  /** What it consists of. */
  readonly connections: readonly LinkConnection[];
}

/** The links between routers, as these report them. In memory only: a router that connects reports all of its own. */
export interface Links {
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /** Takes a link that was reported. One of another router with this id is left alone, as is a later iteration. */
  report(link: RouterLink): void;
  /** Takes the connections that a link consists of now, as the router says that has dialed it. */
  connect(said: Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'>): void;
  /** @returns the link, if it was known */
  remove(id: string): RouterLink | undefined;
  /** Removes those that a router has dialed, but for some. @returns the ids of those that it removed */
  forget(routerId: string, but: ReadonlySet<string>): readonly string[];
}

/** Links of one router at most. */
const MOST = 10_000;

export const createLinks = (): Links => {
  const byId = new Map<string, RouterLink>();
  /** Ids by the router that has dialed them. */
  const byDialer = new Map<string, Set<string>>();

  const dialedBy = (routerId: string): Set<string> => {
    const known = byDialer.get(routerId) ?? new Set();
    byDialer.set(routerId, known);
    return known;
  };
  const remove = (id: string) => {
    const known = byId.get(id);
    byId.delete(id);
    const ofDialer = known && byDialer.get(known.from);
    ofDialer?.delete(id);
    if (known && ofDialer?.size === 0) byDialer.delete(known.from);
    return known;
  };
  /** What is said of a link of another router, or of an iteration that is over, does not count. */
  const isOutside = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, known: RouterLink): boolean =>
    known.from !== from || isOlder(iteration, known.iteration);
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    report: (link) => {
      const known = byId.get(link.id);
      if (known && isOutside(link, known)) return;
      if (!known && (byDialer.get(link.from)?.size ?? 0) >= MOST) return;
      byId.set(link.id, link);
      dialedBy(link.from).add(link.id);
    },
    connect: (said) => {
      const known = byId.get(said.id);
      if (known && !isOutside(said, known)) byId.set(said.id, { ...known, connections: said.connections });
    },
    remove,
    forget: (routerId, but) => {
      const gone = [...(byDialer.get(routerId) ?? [])].filter((id) => !but.has(id));
      for (const id of gone) remove(id);
      return gone;
    },
  };
};

/** Whether what is said of one iteration is out of date for another. 0: any. */
export const isOlder = (said: number, known: number): boolean => said !== 0 && known !== 0 && said < known;
