import type { Core } from '../../call/core.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { COMPATIBLE_RELEASES } from '../../contract/version.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import { type TrafficPoint, trafficPoints } from '../../runtime/presence/traffic.ts';
import type { HandleUsage } from '../circuits/usage-events.ts';
import type { RouterInterfaceReport } from '../connections/presence.ts';
import type { Budget } from '../control-channel/budget.ts';
import type { Frame } from '../control-channel/frame.ts';
import { edgeHeader } from '../control-channel/header-fields.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import { metricsReport } from '../control-channel/messages/metrics.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import { Unanswered } from '../control-channel/requests.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { alertHandler } from './alerts.ts';
import { createIdentityEvents } from './identity-events.ts';
import { createMetricEvents, type EndsOf } from './metric-events.ts';

const { serverHello, clientHello, routerInterfaces, connectEvents, metrics } = routerMessages;

/**
 * Handlers of a router's reports about itself.
 */
export const reportHandlers = (core: Core, router: ConnectedRouter, reporting: MetricsReporting): readonly HandlerEntry[] => {
  const report = identityReporter(core, router);
  return [
    handle(routerInterfaces, (update, frame) => storeInterfaces(router, update, frame)),
    handle(connectEvents, (events, _frame, budget) => report(events, budget)),
    metricsHandler(core, router, reporting),
    alertHandler(core, router),
  ];
};

/** Maximum number of requests to a router that does not answer. */
const MAX_ATTEMPTS = 3;

/** Requests the listeners for clients from an edge router, which is online once it has answered. Transit routers have no such listeners. */
export const requestListeners = async ({ settings }: Pick<Core, 'settings'>, { channel, connection }: ConnectedRouter): Promise<void> => {
  const greeting = {
    version: COMPATIBLE_RELEASES[settings.compat],
    data: new Map(Object.entries({ instant: 'true', routerModel: 'true' })),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await channel.request(serverHello, greeting, { headers: [edgeHeader.dataModel.of(true)] });
      return await connection.hello(helloReportOf(clientHello.decode(answer.body)));
    } catch (error) {
      if (!(error instanceof Unanswered) || attempt === MAX_ATTEMPTS) {
        if (!channel.signal.aborted) await connection.sync(error instanceof Unanswered ? 'SYNC_HELLO_TIMEOUT' : 'SYNC_ERROR');
        throw error;
      }
    }
  }
};

/** Converts the answer to the report that `RouterConnection.hello` expects and validates. */
const helloReportOf = ({ listeners, hostname, protocols, protocolPorts }: MessageBody<typeof clientHello>) =>
  listeners.length === 0 && protocols.length > 0
    ? { hostname, protocols: [...protocols], protocolPorts: [...protocolPorts] }
    : { listeners: listeners.flatMap(({ advertise, address }) => advertise ?? address ?? []) };

/** Stores the network interfaces of a router, and answers. */
const storeInterfaces = async (
  { channel, connection }: ConnectedRouter,
  { interfaces }: MessageBody<typeof routerInterfaces>,
  frame: Frame,
): Promise<void> => {
  try {
    await connection.interfaces(interfaces.map(interfaceOf));
    channel.sendResult(frame, true, 'success');
  } catch (error) {
    channel.sendResult(frame, false, error instanceof ApiError ? error.message : 'try again later');
    // Invalid reports are the router's fault; everything else is logged.
    if (!(error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE')) throw error;
  }
};

type Interface = MessageBody<typeof routerInterfaces>['interfaces'][number];

/** Bits of `flags`, as in Go's `net.Flags`. */
const FLAG = { up: 1n, broadcast: 2n, loopback: 4n, multicast: 16n, running: 32n } as const;

const interfaceOf = ({ name, hardwareAddress, mtu, index, flags, addresses }: Interface): RouterInterfaceReport => {
  const has = (flag: bigint): boolean => (flags & flag) !== 0n;
  return {
    name,
    hardwareAddress,
    mtu: Number(mtu),
    index: Number(index),
    isUp: has(FLAG.up),
    isRunning: has(FLAG.running),
    isLoopback: has(FLAG.loopback),
    isBroadcast: has(FLAG.broadcast),
    isMulticast: has(FLAG.multicast),
    addresses: [...addresses],
  };
};

/** Number of identities per presence update. */
const BATCH = 500;

/** @returns a function that updates the presence of the identities connected to a router, in the order of its reports */
const identityReporter = (core: Core, router: Pick<ConnectedRouter, 'connection' | 'channel' | 'id'>) => {
  const { connection } = router;
  const mutex = createSemaphore(1);
  const connected = new Set<string>();
  const told = createIdentityEvents(core, router, connected);

  /** Compares a report with the identities that were connected before. */
  function* differences({ events, fullState }: MessageBody<typeof connectEvents>) {
    const reported = new Map<string, boolean>();
    for (const { identityId, isConnected } of events) {
      reported.set(identityId, isConnected);
      yield 1;
    }
    const [removed, added]: [string[], string[]] = [[], []];
    for (const id of connected) {
      if (!(reported.get(id) ?? !fullState)) removed.push(id);
      yield 1;
    }
    for (const [id, isConnected] of reported) {
      if (isConnected && !connected.has(id)) added.push(id);
      yield 1;
    }
    return { removed, added };
  }

  return (report: MessageBody<typeof connectEvents>, budget: Budget): Promise<void> =>
    mutex.run(async () => {
      const { removed, added } = await budget.run(differences(report));
      for (const ids of inBatches(removed, () => 1, BATCH)) {
        await connection.identitiesDisconnected(ids);
        for (const id of ids) connected.delete(id);
        told.left(ids);
        await yieldToEventLoop();
      }
      for (const ids of inBatches(added, () => 1, BATCH)) {
        const absent = told.absent(ids);
        // Does not return identities that have been deleted.
        const added = await connection.identitiesConnected(ids);
        for (const id of added) connected.add(id);
        told.arrived(added.filter((id) => absent.has(id)));
        await yieldToEventLoop();
      }
      await budget.run(told.connections(report, connected));
    });
};

/** Where the content of a router's metrics goes. */
export interface MetricsReporting {
  readonly usage: HandleUsage;
  readonly endsOf: EndsOf;
  readonly measureLinks: (report: Pick<MessageBody<typeof metrics>, 'histograms'>) => Generator<number, void>;
}

/** Handles metrics: byte counts, usage and latencies of links always, all metrics only if someone follows them. */
const metricsHandler = (core: Core, router: ConnectedRouter, { usage, endsOf, measureLinks }: MetricsReporting): HandlerEntry => {
  const { networkEvents, platform } = core;
  const emitMetrics = createMetricEvents(networkEvents, platform.clock, router.id, endsOf);
  const read = (budget: Budget) => async (frame: Frame) => {
    const reported = await metrics.read(frame.body, budget);
    // Read here, because the buffer of the frame is reused.
    const all = networkEvents.isHeard('metrics') ? await metricsReport.read(frame.body, budget) : undefined;
    return async () => {
      updateTrafficBytes(router, reported);
      await budget.run(updateLinkBytes(router, reported, endsOf));
      router.reportedAt = monotonic(platform.clock);
      await budget.run(usage(reported));
      await budget.run(measureLinks(reported));
      if (all) await budget.run(emitMetrics(all));
    };
  };
  return [metrics.contentType, read];
};

/** Updates byte counts. A meter that is missing from a report keeps its count. */
const updateTrafficBytes = (router: ConnectedRouter, { meters }: MessageBody<typeof metrics>): void => {
  const counts: Partial<Record<TrafficPoint, number>> = {};
  for (const point of trafficPoints) {
    const { count } = meters.get(`${point}.bytesrate`) ?? {};
    if (count !== undefined) counts[point] = Number(count);
  }
  router.trafficBytes = { ...router.trafficBytes, ...counts };
};

/** Updates the byte counts of the links of a router. */
function* updateLinkBytes(router: ConnectedRouter, { meters }: MessageBody<typeof metrics>, endsOf: EndsOf): Generator<number, void> {
  const bytes = new Map<string, number>();
  for (const [name, { count }] of meters) {
    const [, linkId] = /^link\.(.{1,255})\.[rt]x\.bytesrate$/.exec(name) ?? [];
    if (linkId !== undefined && endsOf(linkId)) bytes.set(linkId, (bytes.get(linkId) ?? 0) + Number(count));
    yield 1;
  }
  router.linkBytes = bytes;
}
