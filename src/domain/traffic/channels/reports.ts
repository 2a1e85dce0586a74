import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { inParts } from '../../../concurrency/parts.ts';
import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Budget } from '../../../control-channel/budget.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import { ApiError } from '../../../errors/index.ts';
import { type CarriedPoint, carriedPoints } from '../../../presence/traffic.ts';
import type { RouterInterfaceReport } from '../../fabric/connections/presence.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';

const { routerInterfaces, connectEvents, metrics } = routerMessages;

/** Stores the network interfaces of a router, and says whether that was done. */
const takeInterfaces = async (
  { channel, connection }: ConnectedRouter,
  { interfaces }: MessageBody<typeof routerInterfaces>,
  frame: Frame,
): Promise<void> => {
  try {
    await connection.interfaces(interfaces.map(interfaceOf));
    channel.conclude(frame, true, 'success');
  } catch (error) {
    channel.conclude(frame, false, error instanceof ApiError ? error.message : 'try again later');
    // The router is told what is wrong with its report; what is wrong here is noted.
    if (!(error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE')) throw error;
  }
};

type Interface = MessageBody<typeof routerInterfaces>['interfaces'][number];

/** Bits of `flags`, as the standard library of Go has them. */
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

/** Identities of which presence is told at a time. */
const AT_ONCE = 500;

/** Keeps account of the identities that a router carries: in the order in which it tells of them, however long each takes. */
const carrying = ({ connection }: Pick<ConnectedRouter, 'connection'>) => {
  const turns = createSemaphore(1);
  const carried = new Set<string>();

  /** What is news of what a router tells, with turns for others. */
  function* news({ events, fullState }: MessageBody<typeof connectEvents>): Generator<number, CarriedReports> {
    const here = new Map<string, boolean>();
    for (const { identityId, isConnected } of events) {
      here.set(identityId, isConnected);
      yield 1;
    }
    const [gone, come]: [string[], string[]] = [[], []];
    for (const id of carried) {
      if (!(here.get(id) ?? !fullState)) gone.push(id);
      yield 1;
    }
    for (const [id, isConnected] of here) {
      if (isConnected && !carried.has(id)) come.push(id);
      yield 1;
    }
    return { gone, come };
  }

  return (said: MessageBody<typeof connectEvents>, budget: Budget): Promise<void> =>
    turns.run(async () => {
      const { gone, come } = await budget.run(news(said));
      for (const ids of inParts(gone, () => 1, AT_ONCE)) {
        await connection.identitiesDisconnected(ids);
        for (const id of ids) carried.delete(id);
        await yieldToEventLoop();
      }
      for (const ids of inParts(come, () => 1, AT_ONCE)) {
        // One that was deleted meanwhile is left out: the others count.
        for (const id of await connection.identitiesConnected(ids)) carried.add(id);
        await yieldToEventLoop();
      }
    });
};

interface CarriedReports {
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** A meter that a report lacks stays as it was. */
const takeMeters = (router: ConnectedRouter, { meters }: MessageBody<typeof metrics>): void => {
  const counts: Partial<Record<CarriedPoint, number>> = {};
  for (const point of carriedPoints) {
    const { count } = meters.get(`${point}.bytesrate`) ?? {};
    if (count !== undefined) counts[point] = Number(count);
  }
  router.carried = { ...router.carried, ...counts };
};

const ignored = (): void => undefined;

/** What a router tells of itself. Alerts, and metrics beside bytes, are for operators, who get them from the router. */
export const reportHandlers = (router: ConnectedRouter): readonly HandlerRow[] => {
  const carry = carrying(router);
  return [
    handling(routerInterfaces, (said, frame) => takeInterfaces(router, said, frame)),
    handling(connectEvents, (said, _frame, budget) => carry(said, budget)),
    handling(metrics, (said) => takeMeters(router, said)),
    handling(routerMessages.alerts, ignored),
  ];
};
