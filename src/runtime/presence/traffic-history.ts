/** The load of routers and links in the last day, in memory: a point per minute, in rings of a fixed size. */

/** Number of points that are kept. */
export const HISTORY_MINUTES = 1440;
const MINUTE = 60_000;

/** Bytes per second in both directions, over all points where a router counts them, and circuits. */
const ROUTER_MEASURES = ['received', 'sent', 'circuits'] as const;
/** Bytes per second in both directions together, the greater of the latencies of both ends in milliseconds, circuits, and the cost. */
const LINK_MEASURES = ['bytes', 'latency', 'circuits', 'cost'] as const;

export type RouterMeasure = (typeof ROUTER_MEASURES)[number];
export type LinkMeasure = (typeof LINK_MEASURES)[number];

/** The values of a minute. NaN if there is none. */
type Values<M extends string> = Readonly<Record<M, number>>;

/** The span that is read, and the number of points into which it is averaged. */
export interface HistorySpan {
  /** ms since 1970 */
  readonly end: number;
  readonly minutes: number;
  readonly points: number;
}

/** Points, the earliest first; null where there is no value. */
export type HistoryPoints<M extends string> = Readonly<Record<M, (number | null)[]>>;

/** The rings of routers, or of links. */
export interface HistoryOf<M extends string> {
  /** Ids of those that have points. */
  ids(): readonly string[];
  record(id: string, now: number, values: Values<M>): void;
  read(id: string, span: HistorySpan): HistoryPoints<M> | undefined;
}

/** The history of one controller. */
export interface TrafficHistory {
  readonly routers: HistoryOf<RouterMeasure>;
  readonly links: HistoryOf<LinkMeasure>;
}

/** @param most number of routers, and of links, that are kept */
export const createTrafficHistory = (most: number): TrafficHistory => ({
  routers: createRings(ROUTER_MEASURES, most),
  links: createRings(LINK_MEASURES, most),
});

interface Ring<M extends string> {
  /** The minute of the last point, counted since 1970. */
  last: number;
  readonly values: Readonly<Record<M, Float32Array>>;
}

const createRings = <M extends string>(measures: readonly M[], most: number): HistoryOf<M> => {
  /** In the order of their last points, so that making room looks only at the first ones. */
  const rings = new Map<string, Ring<M>>();
  const byMeasure = <T>(make: (measure: M) => T) => Object.fromEntries(measures.map((measure) => [measure, make(measure)])) as Record<M, T>; // it has each of them
  /** Makes room by dropping what has no points any more, or else what has had none for the longest time. */
  const makeRoom = (minute: number): boolean => {
    for (const [id, { last }] of rings) {
      const isOver = last <= minute - HISTORY_MINUTES;
      const isGone = last < minute - 1;
      if (!isOver && (rings.size < most || !isGone)) break;
      rings.delete(id);
    }
    return rings.size < most;
  };
  return {
    ids: () => [...rings.keys()],
    record: (id, now, values) => {
      const minute = Math.floor(now / MINUTE);
      let ring = rings.get(id);
      if (!ring) {
        if (!makeRoom(minute)) return;
        ring = { last: minute - 1, values: byMeasure(() => new Float32Array(HISTORY_MINUTES).fill(Number.NaN)) };
      }
      // A clock that was set back overwrites no point.
      if (minute < ring.last) return;
      for (let missing = Math.max(ring.last + 1, minute - HISTORY_MINUTES); missing < minute; missing++)
        for (const measure of measures) ring.values[measure][missing % HISTORY_MINUTES] = Number.NaN;
      for (const measure of measures) ring.values[measure][minute % HISTORY_MINUTES] = values[measure];
      ring.last = minute;
      rings.delete(id);
      rings.set(id, ring);
    },
    read: (id, { end, minutes, points }) => {
      const ring = rings.get(id);
      if (!ring) return undefined;
      const first = Math.floor(end / MINUTE) - minutes + 1;
      const { last } = ring;
      const at = (values: Float32Array, minute: number) =>
        minute > last || minute <= last - HISTORY_MINUTES ? Number.NaN : (values[minute % HISTORY_MINUTES] ?? Number.NaN);
      return byMeasure((measure) =>
        Array.from({ length: points }, (_, point) => {
          const [from, to] = [Math.floor((point * minutes) / points), Math.floor(((point + 1) * minutes) / points)];
          let [sum, count] = [0, 0];
          for (let minute = first + from; minute < first + to; minute++) {
            const value = at(ring.values[measure], minute);
            if (Number.isNaN(value)) continue;
            sum += value;
            count++;
          }
          return count === 0 ? null : Math.round((sum / count) * 100) / 100;
        }),
      );
    },
  };
};
