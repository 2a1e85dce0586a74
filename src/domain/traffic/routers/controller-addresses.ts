import { controller, lease } from '../../../api/kinds.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import type { Entities } from '../../../entities/entities.ts';
import { leasesBelow, putLease } from '../../../jobs/lease.ts';
import { isoTime } from '../../../platform/clock.ts';
import { ALL } from '../../../query/index.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import type { ConnectedRouter } from './connected-routers.ts';
import { type Fabric, forRouters } from './fabric.ts';

const { updateCtrlAddresses } = routerMessages;

/** Interval between reads of the other addresses. ms */
const POLL_INTERVAL = 10_000;
/** Interval between writes of the own address. ms */
const PUBLISH_INTERVAL = 600_000;
/** An address that was not renewed for so long is removed: its controller may have restarted in between, or moved. ms */
const EXPIRES_AFTER = 3_600_000;
/** Controllers that routers get at most. */
const MOST = 64;

const PREFIX = 'controller/';
/** `tls:one.example:1280` */
const ADDRESS = /^tls:[\w.:[\]-]{1,260}:\d{1,5}$/;

/** As controllers have names. */
const ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** A controller as routers know it: by the id in its answer to their hello, and by its address. */
interface ControllerAddress {
  readonly id: string;
  readonly address: string;
}

/** The addresses to which routers connect. */
export interface ControllerAddresses {
  /** Sends a router that has connected the addresses of all controllers on the store, if there are several. */
  onConnect(router: ConnectedRouter): void;
}

/**
 * Publishes the address of this controller in the store, and sends routers the addresses of all. They are leases, because they are no change of the network.
 * A router disconnects from controllers that are missing in the list: a controller without an address of its own sends none.
 */
export const shareControllerAddresses = (fabric: Fabric): ControllerAddresses => {
  const { core, connected } = fabric;
  const { clock, logger } = core.platform;
  const own = core.ctrlAddress;
  if (own === undefined || !ADDRESS.test(own)) return { onConnect: () => undefined };
  const self: ControllerAddress = { id: core.controllerId, address: own };
  let known: readonly ControllerAddress[] = [self];
  let hasSent = false;
  let index = 0;

  const send = (routers: readonly ConnectedRouter[]) => {
    if (routers.length === 0 || (known.length === 1 && !hasSent)) return;
    hasSent = true;
    // Routers follow the highest index of any controller, so that the last one to see a change is followed.
    index = Math.max(index + 1, clock.now());
    const addresses = known.map(({ address }) => address);
    const controllers = known.map(({ id, address }) => ({ id, endpoints: [{ address }] }));
    for (const { channel } of routers) channel.send(updateCtrlAddresses, { addresses, controllers, index: BigInt(index), isLeader: false });
  };
  const read = async () => {
    const others = await forRouters(core, (job) => job.read((entities) => addressesBeside(entities, own, isoTime(clock.now()))));
    const next = [self, ...others];
    if (isSameJson(next, known)) return;
    known = next;
    send(connected.all());
  };
  const publish = () =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        const now = clock.now();
        await putLease(entities, `${PREFIX}${own}`, { holder: own, until: isoTime(now + EXPIRES_AFTER), told: core.controllerId });
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
  }).catch(() => undefined); // the controller is closed already
  return {
    onConnect: (router) => {
      send([router]);
      if (connected.all().length === 1) void tryRead();
    },
  };
};

const addressRows = (entities: Entities) => entities.list(lease, { where: leasesBelow(PREFIX), limit: MOST });

/** @param now ISO text */
const addressesBeside = async (entities: Entities, own: string, now: string): Promise<readonly ControllerAddress[]> =>
  (await addressRows(entities)).flatMap(({ holder, until, told }) =>
    holder && holder !== own && ADDRESS.test(holder) && (until ?? '') > now ? [{ id: idIn(told) ?? holder, address: holder }] : [],
  );

/** The id by which a controller names itself to its routers. An earlier release does not store it. */
const idIn = (told: unknown): string | undefined => (typeof told === 'string' && ID.test(told) ? told : undefined);

/** The ids of the controllers that publish their address in the store, or that are members of the network. */
export const knownControllerIds = async (entities: Entities): Promise<readonly string[]> => {
  const members = await entities.list(controller, { where: ALL, limit: MOST });
  const ids = (await addressRows(entities)).flatMap(({ holder, told }) => idIn(told) ?? holder ?? []);
  return [...ids, ...members.flatMap(({ name }) => name ?? [])];
};

const removeExpired = async (entities: Entities, now: string): Promise<void> => {
  for (const row of await addressRows(entities)) if ((row.until ?? '') <= now) await entities.remove(lease, row);
};
