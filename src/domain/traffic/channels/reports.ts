import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import { ApiError } from '../../../errors/index.ts';
import type { RouterInterfaceReport } from '../../fabric/connections/presence.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import type { HandlerRow } from '../routers/handlers.ts';

const { routerInterfaces, connectEvents } = routerMessages;

/** Stores the network interfaces of a router, and says whether that was done. */
const takeInterfaces = async ({ channel, connection }: ConnectedRouter, frame: Frame): Promise<void> => {
  const { interfaces } = routerInterfaces.decode(frame.body);
  try {
    await connection.interfaces(interfaces.map(interfaceOf));
    channel.conclude(frame, true, 'success');
  } catch (error) {
    channel.conclude(frame, false, error instanceof ApiError ? error.message : 'try again later');
    throw error;
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

/** Keeps account of the identities that a router carries: in the order in which it tells of them, however long each takes. */
const carrying = ({ connection }: Pick<ConnectedRouter, 'connection'>): ((frame: Frame) => Promise<void>) => {
  const turns = createSemaphore(1);
  const carried = new Set<string>();
  const come = async (id: string) => {
    if (carried.has(id)) return;
    try {
      await connection.identityConnected(id);
      carried.add(id);
    } catch (error) {
      // One that was deleted meanwhile: the others count.
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    }
  };
  const go = async (id: string) => {
    if (carried.delete(id)) await connection.identityDisconnected(id);
  };
  return (frame) =>
    turns.run(async () => {
      const { events, fullState } = connectEvents.decode(frame.body);
      const here = new Set(events.filter(({ isConnected }) => isConnected).map(({ identityId }) => identityId));
      const gone = fullState ? [...carried].filter((id) => !here.has(id)) : [];
      for (const id of gone) await go(id);
      for (const { identityId, isConnected } of events) await (isConnected ? come(identityId) : go(identityId));
    });
};

const ignored = (): void => undefined;

/** What a router tells of itself. Metrics and alerts are for operators, who get them from the router. */
export const reportHandlers = (router: ConnectedRouter): readonly HandlerRow[] => [
  [routerInterfaces, (frame) => takeInterfaces(router, frame)],
  [connectEvents, carrying(router)],
  [routerMessages.metrics, ignored],
  [routerMessages.alerts, ignored],
];
