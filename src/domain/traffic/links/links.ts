/** A link: two routers that are connected to each other. */
export interface RouterLink {
  readonly id: string;
  /** Id of the router that has dialed it, which reports it. */
  readonly from: string;
  readonly to: string;
  /** Grows each time that it is dialed again. */
  readonly iteration: number;
}

/** The links between routers, as these report them. In memory only: a router that connects reports all of its own. */
export interface Links {
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /** Takes a link that was reported. One of another router with this id is left alone, as is a later iteration. */
  report(link: RouterLink): void;
  /** @returns the link, if it was known */
  remove(id: string): RouterLink | undefined;
  /** Removes those that a router has dialed, but for some. @returns the ids of those that it removed */
  forget(routerId: string, but: ReadonlySet<string>): readonly string[];
}

/** Links of one router at most, and characters of the ids in each. */
const MOST = 10_000;
const MOST_CHARACTERS = 256;

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
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    report: (link) => {
      const known = byId.get(link.id);
      if (known && (known.from !== link.from || isOlder(link.iteration, known.iteration))) return;
      if (!known && (byDialer.get(link.from)?.size ?? 0) >= MOST) return;
      if (link.id.length > MOST_CHARACTERS || link.to.length > MOST_CHARACTERS) return;
      byId.set(link.id, link);
      dialedBy(link.from).add(link.id);
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
