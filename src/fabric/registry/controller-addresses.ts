import { controller, lease } from '../../contract/api/kinds.ts';
import { CONTROLLER_ID, type KnownController } from '../../contract/wire/known-controller.ts';
import { ALL } from '../../query/index.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { leasesBelow, putLease } from '../../store/jobs/lease.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import type { ConnectedRouter } from './connected-routers.ts';
import { type Fabric, forRouters } from './fabric.ts';
import { type HandlerEntry, handle } from './message-handlers.ts';

const { updateCtrlAddresses, requestClusterMembers } = routerMessages;

/** Interval between reads of the other controllers' addresses. ms */
const POLL_INTERVAL = 10_000;
/** Interval between writes of this controller's address. ms */
const PUBLISH_INTERVAL = 600_000;
/** An address that has not been renewed for this long is removed. Long enough for a controller to restart. ms */
const EXPIRES_AFTER = 3_600_000;
/** Maximum number of controllers whose addresses routers get. */
const MAX_CONTROLLERS = 64;

const PREFIX = 'controller/';
/** E.g. `tls:one.example:1280`. */
const ADDRESS = /^tls:[\w.:[\]-]{1,260}:\d{1,5}$/;

/** The addresses to which routers connect. */
export interface ControllerAddresses {
  /** Sends a newly connected router the addresses of all controllers on the store, if there are several. */
  onConnect(router: ConnectedRouter): void;
  /** Answers a router that asks for the addresses, also if there is a single controller. */
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
}

/**
 * Publishes the address of this controller in the store, and sends routers the addresses of all controllers. Addresses are stored as
 * leases, so that they leave no change records. Routers disconnect from controllers that are missing from the list, so a controller without
 * an address sends no list.
 */
export const shareControllerAddresses = (fabric: Fabric): ControllerAddresses => {
  const { core, connected } = fabric;
  const { clock, logger } = core.platform;
  const ownAddress = core.ctrlAddress;
  if (ownAddress === undefined || !ADDRESS.test(ownAddress))
    return { onConnect: () => undefined, handlers: () => [handle(requestClusterMembers, () => undefined)] };
  const self: KnownController = { id: core.controllerId, address: ownAddress };
  let knownAddresses: readonly KnownController[] = [self];
  let hasSent = false;
  let index = 0;

  const send = (routers: readonly ConnectedRouter[]) => {
    // Routers use the list with the highest index, from whichever controller. The clock makes that the most recent list.
    index = Math.max(index + 1, clock.now());
    const addresses = knownAddresses.map(({ address }) => address);
    const controllers = knownAddresses.map(({ id, address }) => ({ id, endpoints: [{ address }] }));
    const list = { addresses, controllers, index: BigInt(index), isLeader: false };
    for (const { channel } of routers) if (!channel.signal.aborted) channel.send(updateCtrlAddresses, list);
  };
  /** A list of this controller alone is sent only to routers that may have a longer one. */
  const announce = (routers: readonly ConnectedRouter[]) => {
    if (routers.length === 0 || (knownAddresses.length === 1 && !hasSent)) return;
    hasSent = true;
    send(routers);
  };
  const read = async () => {
    const others = await forRouters(core, (job) => job.read((entities) => readOtherAddresses(entities, ownAddress, isoTime(clock.now()))));
    const next = [self, ...others];
    if (isSameJson(next, knownAddresses)) return;
    knownAddresses = next;
    announce(connected.all());
  };
  const publish = () =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        const now = clock.now();
        await putLease(entities, `${PREFIX}${ownAddress}`, {
          holder: ownAddress,
          until: isoTime(now + EXPIRES_AFTER),
          told: core.controllerId,
        });
        await removeExpired(entities, isoTime(now));
      }),
    );
  const attempt = (step: () => Promise<unknown>, message: string) => () =>
    step().then(
      () => undefined,
      (error: unknown) => logger.warn(message, { error: String(error) }),
    );
  const tryRead = attempt(
    read,
    'the addresses of other controllers could not be read; routers keep those they have until the next attempt',
  );
  const tryPublish = attempt(publish, 'the address of this controller could not be published to the other controllers; trying again later');
  forRouters(core, async (job) => {
    job.every(PUBLISH_INTERVAL, tryPublish);
    job.every(POLL_INTERVAL, async () => {
      if (connected.all().length > 0) await tryRead();
    });
    const closed = new Promise((close) => job.signal.addEventListener('abort', close));
    await tryPublish();
    await closed;
  }).catch(() => undefined); // rejects only if the controller is already closed
  return {
    onConnect: (router) => {
      announce([router]);
      if (connected.all().length === 1) void tryRead();
    },
    handlers: (router) => [
      handle(requestClusterMembers, async () => {
        // A list without a controller that was not read yet would have the router disconnect from it.
        await read();
        send([router]);
      }),
    ],
  };
};

const addressRows = (entities: Entities) => entities.list(lease, { where: leasesBelow(PREFIX), limit: MAX_CONTROLLERS });

/** @param now ISO text */
const readOtherAddresses = async (entities: Entities, ownAddress: string, now: string): Promise<readonly KnownController[]> =>
  (await addressRows(entities)).flatMap(({ holder, until, told }) =>
    holder && holder !== ownAddress && ADDRESS.test(holder) && (until ?? '') > now ? [{ id: idIn(told) ?? holder, address: holder }] : [],
  );

/** The controller id in a lease; undefined if an earlier release wrote the lease, without the id. */
const idIn = (content: unknown): string | undefined => (typeof content === 'string' && CONTROLLER_ID.test(content) ? content : undefined);

/** The ids of the controllers that publish their address in the store, or that are members of the network. */
export const knownControllerIds = async (entities: Entities): Promise<readonly string[]> => {
  const members = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
  const ids = (await addressRows(entities)).flatMap(({ holder, told }) => idIn(told) ?? holder ?? []);
  return [...ids, ...members.flatMap(({ name }) => name ?? [])];
};

const removeExpired = async (entities: Entities, now: string): Promise<void> => {
  for (const row of await addressRows(entities)) if ((row.until ?? '') <= now) await entities.remove(lease, row);
};
