/** The gauges of a controller, declared once for Prometheus and OpenTelemetry. */
import type { ManagementController } from '../../src/index.ts';
import type { Labels } from './exposition.ts';

/** The part of a controller from which gauges are read. */
export type MetricsSource = Pick<ManagementController, 'health' | 'statistics'>;

type Statistics = Awaited<ReturnType<MetricsSource['statistics']>>;
type Sample = readonly [labels: Labels, value: number];

/** The state of a controller from which all gauges are computed. */
interface Readings {
  readonly health: Awaited<ReturnType<MetricsSource['health']>>;
  /** Missing if the database does not respond. */
  readonly statistics: Statistics | undefined;
}

/** A gauge of a controller. */
interface Gauge {
  /** The name after `overlay_controller.`. In names for Prometheus, dots are underscores, and the unit follows. */
  readonly name: string;
  /** Seconds or bytes; missing if the gauge has no unit. */
  readonly unit?: 's' | 'By';
  readonly help: string;
  readonly samples: (readings: Readings) => readonly Sample[];
}

/** @param routers maximum number of routers, and of links, that have series */
export const readGauges = async (controller: MetricsSource, routers: number): Promise<Readings> => {
  const [health, statistics] = await Promise.all([controller.health(), controller.statistics({ routers }).catch(() => undefined)]);
  return { health, statistics };
};

/** A gauge of the statistics. */
const ofStatistics = (
  name: string,
  help: string,
  samples: (statistics: Statistics) => readonly Sample[],
  unit?: NonNullable<Gauge['unit']>,
): Gauge => ({ name, help, samples: ({ statistics }) => (statistics ? samples(statistics) : []), ...(unit && { unit }) });

type ByRouter = NonNullable<Statistics['traffic']['byRouter']>[number];
type ByLink = NonNullable<Statistics['traffic']['byLink']>[number];

/** Gauges with a series for each router, or each link. They have samples only if these series were requested. */
const ofRouters = (name: string, help: string, samples: (router: ByRouter) => readonly Sample[], unit?: Gauge['unit']): Gauge =>
  ofStatistics(name, help, ({ traffic }) => traffic.byRouter?.flatMap(samples) ?? [], unit);
const ofLinks = (name: string, help: string, samples: (link: ByLink, ends: Labels) => readonly Sample[], unit?: Gauge['unit']): Gauge =>
  ofStatistics(
    name,
    help,
    ({ traffic }) => traffic.byLink?.flatMap((link) => samples(link, { link: link.id, from: link.from, to: link.to })) ?? [],
    unit,
  );

const labelled = (label: string, values: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);

const NANOSECONDS = 1e9;

/** In the order in which they are exported. */
export const controllerGauges: readonly Gauge[] = [
  {
    name: 'healthy',
    help: '1 if the controller is healthy, otherwise 0.',
    samples: ({ health }) => [[{}, health.isHealthy ? 1 : 0]],
  },
  {
    name: 'health.reasons',
    help: 'Reasons for warnings and errors in the health of the controller.',
    samples: ({ health }) =>
      [...new Map(health.reasons.map((reason) => [`${reason.concerns} ${reason.severity}`, reason])).values()].map(
        ({ concerns, severity }) => [{ concerns, severity }, 1],
      ),
  },
  ofStatistics('entities', 'Entities in the store, by kind.', ({ entities }) => labelled('kind', entities)),
  ofStatistics('queue.running', 'Tasks that are running.', ({ queues }) =>
    Object.entries(queues).map(([queue, { running }]) => [{ queue }, running]),
  ),
  ofStatistics('queue.waiting', 'Tasks that are waiting.', ({ queues }) =>
    Object.entries(queues).map(([queue, { waiting }]) => [{ queue }, waiting]),
  ),
  ofStatistics('connected_routers', 'Routers that are connected to this controller.', ({ connectedRouters }) => [[{}, connectedRouters]]),
  ofStatistics('links', 'Links between routers that are connected to this controller.', ({ traffic }) => [[{}, traffic.links]]),
  ofStatistics('circuits', 'Circuits over routers that are connected to this controller.', ({ traffic }) => [[{}, traffic.circuits]]),
  ofStatistics(
    'carried',
    'Bytes that the connected routers have carried since they were started, as they last reported.',
    ({ traffic }) => labelled('point', traffic.bytes),
    'By',
  ),
  ofStatistics(
    'role_index',
    'Approximate memory of the role indexes, by table.',
    ({ roleIndexes }) => Object.entries(roleIndexes).map(([table, { bytes }]) => [{ table }, bytes]),
    'By',
  ),
  ofStatistics('read_cache', 'Approximate memory of the read cache.', ({ readCacheBytes }) => [[{}, readCacheBytes]], 'By'),
  ofRouters(
    'router.carried',
    'Bytes that a connected router has carried since it was started, as it last reported.',
    ({ routerId: router, bytes }) => Object.entries(bytes).map(([point, count]) => [{ router, point }, count]),
    'By',
  ),
  ofRouters('router.circuits', 'Circuits over a connected router.', ({ routerId: router, circuits }) => [[{ router }, circuits]]),
  ofLinks('link.circuits', 'Circuits over a link.', ({ circuits }, ends) => [[ends, circuits]]),
  ofLinks('link.cost', 'Cost of a link in a path.', ({ cost }, ends) => [[ends, cost]]),
  ofLinks('link.down', '1 if an administrator has taken the link out of use, otherwise 0.', ({ isDown }, ends) => [[ends, isDown ? 1 : 0]]),
  ofLinks(
    'link.latency',
    'Latency of a link, as the router at this end last reported. 0 until then.',
    ({ sourceLatency, destLatency }, ends) => [
      [{ ...ends, end: 'from' }, sourceLatency / NANOSECONDS],
      [{ ...ends, end: 'to' }, destLatency / NANOSECONDS],
    ],
    's',
  ),
  ofStatistics('series.omitted', 'Routers and links without series, because there are too many.', ({ connectedRouters, traffic }) => {
    const { links, byRouter, byLink } = traffic;
    if (!byRouter || !byLink) return [];
    return [
      [{ of: 'router' }, Math.max(0, connectedRouters - byRouter.length)],
      [{ of: 'link' }, Math.max(0, links - byLink.length)],
    ];
  }),
];
