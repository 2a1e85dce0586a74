import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { every, MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import type { TrafficCircuit, TrafficLink } from '../../runtime/presence/traffic.ts';
import { createTrafficHistory, type TrafficHistory } from '../../runtime/presence/traffic-history.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import type { Fabric } from '../registry/fabric.ts';

/** Time after which the rate of the last two reports of a router says nothing about now. ms */
const STALE = 5 * MINUTE;
/** Number of circuits that are counted in one time slice. */
const CHUNK = 500;
/** Number of routers and links whose load is recorded in one time slice. */
const RECORDS = 100;

/** The bytes that a router had carried at the time of a report. */
interface Counts {
  /** Monotonic. ms */
  readonly at: number;
  readonly received: number;
  readonly sent: number;
  readonly links: ReadonlyMap<string, number>;
}

/** The last two reports of a router, from which its rates are computed. */
interface LastReports {
  readonly latest: Counts;
  readonly former: Counts | undefined;
}

/** Records the load of routers and links each minute, while routers are connected. */
export interface TrafficSamples {
  readonly history: TrafficHistory;
  /** A router has connected. */
  start(): void;
}

export const createTrafficSamples = (
  { core: { platform, settings }, connected }: Pick<Fabric, 'core' | 'connected'>,
  traffic: { links(): readonly TrafficLink[]; circuits(): readonly Pick<TrafficCircuit, 'path' | 'links'>[] },
): TrafficSamples => {
  const { clock } = platform;
  const history = createTrafficHistory(settings.trafficHistory);
  const reports = new WeakMap<ConnectedRouter, LastReports>();
  const lastReportsOf = (router: ConnectedRouter): LastReports | undefined => {
    const { reportedAt } = router;
    const last = reports.get(router);
    if (reportedAt === undefined || reportedAt === last?.latest.at) return last;
    const added = { latest: countsOf(router, reportedAt), former: last?.latest };
    reports.set(router, added);
    return added;
  };
  /** The rate at which a count has grown between the last two reports, per second. NaN if it is unknown. */
  const rate = (last: LastReports | undefined, countIn: (counts: Counts) => number | undefined): number => {
    if (!last?.former || monotonic(clock) - last.latest.at > STALE) return Number.NaN;
    const [before, now] = [countIn(last.former) ?? Number.NaN, countIn(last.latest) ?? Number.NaN];
    // A count that has become smaller was reset: the router or the link is new.
    return now < before ? Number.NaN : ((now - before) * 1000) / (last.latest.at - last.former.at);
  };
  const sample = async (): Promise<void> => {
    const circuits = await countCircuits(traffic.circuits());
    const now = clock.now();
    const lastReports = new Map(connected.all().map((router) => [router.id, lastReportsOf(router)]));
    const yieldIfDue = createTimeSlice(RECORDS);
    for (const [id, last] of lastReports) {
      history.routers.record(id, now, {
        received: rate(last, ({ received }) => received),
        sent: rate(last, ({ sent }) => sent),
        circuits: circuits.get(id) ?? 0,
      });
      await yieldIfDue();
    }
    for (const { id, from, to, cost, sourceLatency, destLatency } of traffic.links()) {
      const byDialer = rate(lastReports.get(from), ({ links }) => links.get(id));
      history.links.record(id, now, {
        bytes: Number.isNaN(byDialer) ? rate(lastReports.get(to), ({ links }) => links.get(id)) : byDialer,
        latency: Math.max(sourceLatency, destLatency) / 1e6 || Number.NaN,
        circuits: circuits.get(id) ?? 0,
        cost,
      });
      await yieldIfDue();
    }
  };
  let stop: (() => void) | undefined;
  return {
    history,
    start: () => {
      if (settings.trafficHistory === 0) return;
      stop ??= every(clock, MINUTE, async () => {
        if (connected.all().length > 0) return sample();
        stop?.();
        stop = undefined;
      });
    },
  };
};

const countsOf = ({ trafficBytes, linkBytes }: ConnectedRouter, at: number): Counts => {
  const sum = (direction: 'rx' | 'tx') =>
    (['ingress', 'egress', 'fabric'] as const).reduce((total, point) => total + (trafficBytes[`${point}.${direction}`] ?? 0), 0);
  return { at, received: sum('rx'), sent: sum('tx'), links: linkBytes };
};

/** The number of circuits over each router and each link. */
const countCircuits = async (circuits: readonly Pick<TrafficCircuit, 'path' | 'links'>[]): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  const yieldIfDue = createTimeSlice(CHUNK);
  for (const { path, links } of circuits) {
    for (const id of new Set([...path, ...links])) counts.set(id, (counts.get(id) ?? 0) + 1);
    await yieldIfDue(1);
  }
  return counts;
};
