import { controller } from '../../../api/controllers.ts';
import { lease } from '../../../api/leases.ts';
import type { Entities } from '../../../changes/entities.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import { leasesBelow, putLease } from '../../../jobs/lease.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { ALL } from '../../../query/index.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import type { ConnectedRouter } from './connected-routers.ts';
import { type Fabric, forRouters } from './fabric.ts';

const { updateCtrlAddresses } = routerMessages;

/** How often it is looked whether there are other controllers. ms */
const LOOK_MS = 10_000;
/** How often a controller says where it is. ms */
const RENEWED_MS = 600_000;
/** An address of which nothing was heard for so long is forgotten: the controller may have been restarted meanwhile, or moved. ms */
const BELIEVED_MS = 3_600_000;
/** Controllers that routers are told of at most. */
const MOST = 64;

const PREFIX = 'controller/';
/** `tls:one.example:1280` */
const ADDRESS = /^tls:[\w.:[\]-]{1,260}:\d{1,5}$/;

/** As controllers have names. */
const ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** A controller as routers know it: by the id that it says in its answer to their hello, and by its address. */
interface KnownController {
  readonly id: string;
  readonly address: string;
}

/** Whom routers connect to, beside this controller. */
export interface ControllerAddresses {
  /** Tells a router that has connected where all controllers on the store are, if there are several: it connects to each of them. */
  tell(router: ConnectedRouter): void;
}

/**
 * Says in the store where this controller is, and reads there where the others are. That is kept in leases, for it is no change of the network.
 * A router leaves the controllers that it is not told of: without an address of its own, a controller tells nothing.
 */
export const shareAddresses = (fabric: Fabric): ControllerAddresses => {
  const { core, connected } = fabric;
  const { clock, logger } = core.platform;
  const own = core.ctrlAddress;
  if (own === undefined || !ADDRESS.test(own)) return { tell: () => undefined };
  const self: KnownController = { id: core.controllerId, address: own };
  let known: readonly KnownController[] = [self];
  let hasTold = false;
  let index = 0;

  const tellAll = (routers: readonly ConnectedRouter[]) => {
    if (routers.length === 0 || (known.length === 1 && !hasTold)) return;
    hasTold = true;
    // Routers follow the highest index, of whichever controller: so the last to see a change is followed.
    index = Math.max(index + 1, clock.now());
    const addresses = known.map(({ address }) => address);
    const controllers = known.map(({ id, address }) => ({ id, endpoints: [{ address }] }));
    for (const { channel } of routers) channel.send(updateCtrlAddresses, { addresses, controllers, index: BigInt(index), isLeader: false });
  };
  const look = async () => {
    const read = await forRouters(core, (job) => job.read((entities) => othersThan(entities, own, isoTime(clock.now()))));
    const next = [self, ...read];
    if (isSameJson(next, known)) return;
    known = next;
    tellAll(connected.all());
  };
  const say = () =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        const now = clock.now();
        await putLease(entities, `${PREFIX}${own}`, { holder: own, until: isoTime(now + BELIEVED_MS), told: core.controllerId });
        await removeForgotten(entities, isoTime(now));
      }),
    );
  const tried = (step: () => Promise<unknown>) => () =>
    step().then(
      () => undefined,
      (error: unknown) => logger.warn('where controllers are could not be shared', { error: String(error) }),
    );
  forRouters(core, async (job) => {
    job.every(RENEWED_MS, tried(say));
    job.every(
      LOOK_MS,
      tried(async () => connected.all().length > 0 && look()),
    );
    const closed = new Promise((close) => job.signal.addEventListener('abort', close));
    await tried(say)();
    await closed;
  }).catch(() => undefined); // the controller is closed already
  return {
    tell: (router) => {
      tellAll([router]);
      if (connected.all().length === 1) void tried(look)();
    },
  };
};

const ofControllers = leasesBelow(PREFIX);

/** @param now ISO text */
const othersThan = async (entities: Entities, own: string, now: string): Promise<readonly KnownController[]> => {
  const rows = await entities.list(lease, { where: ofControllers, limit: MOST });
  return rows.flatMap(({ holder, until, told }) =>
    holder && holder !== own && ADDRESS.test(holder) && (until ?? '') > now ? [{ id: idIn(told) ?? holder, address: holder }] : [],
  );
};

/** What a controller calls itself to its routers; an earlier release does not say it. */
const idIn = (told: unknown): string | undefined => (typeof told === 'string' && ID.test(told) ? told : undefined);

/** The ids of the controllers on the store that say where they are, or that are members of the network. */
export const knownControllerIds = async (entities: Entities): Promise<readonly string[]> => {
  const rows = await entities.list(lease, { where: ofControllers, limit: MOST });
  const members = await entities.list(controller, { where: ALL, limit: MOST });
  return [...rows.flatMap(({ holder, told }) => idIn(told) ?? holder ?? []), ...members.flatMap(({ name }) => name ?? [])];
};

const removeForgotten = async (entities: Entities, now: string): Promise<void> => {
  for (const row of await entities.list(lease, { where: ofControllers, limit: MOST }))
    if ((row.until ?? '') <= now) await entities.remove(lease, row);
};
