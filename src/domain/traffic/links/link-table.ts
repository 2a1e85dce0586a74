import { createIndexedMap } from '../../../platform/groups.ts';
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
  const links = createIndexedMap<RouterLink>(({ from }) => [from]);

  /** What is said of a link of another router, or of an iteration that is over, does not count. */
  const isOutside = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, known: RouterLink): boolean =>
    known.from !== from || isOlder(iteration, known.iteration);
  return {
    get: links.get,
    all: links.all,
    report: (link) => {
      const known = links.get(link.id);
      if (known ? isOutside(link, known) : links.size(link.from) >= MOST) return;
      links.set(link);
    },
    connect: (said) => {
      const known = links.get(said.id);
      if (known && !isOutside(said, known)) links.set({ ...known, connections: said.connections });
    },
    remove: links.delete,
    forget: (routerId, but) => {
      const gone = links.of(routerId).flatMap(({ id }) => (but.has(id) ? [] : [id]));
      for (const id of gone) links.delete(id);
      return gone;
    },
  };
};

/** Whether what is said of one iteration is out of date for another. 0: any. */
export const isOlder = (said: number, known: number): boolean => said !== 0 && known !== 0 && said < known;
