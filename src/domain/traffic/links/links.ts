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
  /** Removes those that a router has dialed, but for some. */
  forget(routerId: string, but: ReadonlySet<string>): void;
}

/** Links of one router at most. */
const MOST = 10_000;

export const createLinks = (): Links => {
  const byId = new Map<string, RouterLink>();
  const remove = (id: string) => {
    const known = byId.get(id);
    byId.delete(id);
    return known;
  };
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    report: (link) => {
      const known = byId.get(link.id);
      if (known && (known.from !== link.from || isOlder(link.iteration, known.iteration))) return;
      if (!known && [...byId.values()].filter(({ from }) => from === link.from).length >= MOST) return;
      byId.set(link.id, link);
    },
    remove,
    forget: (routerId, but) => {
      for (const { id, from } of [...byId.values()]) if (from === routerId && !but.has(id)) byId.delete(id);
    },
  };
};

/** Whether what is said of one iteration is out of date for another. 0: any. */
export const isOlder = (said: number, known: number): boolean => said !== 0 && known !== 0 && said < known;
