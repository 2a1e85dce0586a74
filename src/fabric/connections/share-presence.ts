import type { Core } from '../../call/core.ts';
import { lease } from '../../contract/api/leases.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import type { PresentRouter } from '../../runtime/presence/present-router.ts';
import type { RemoteController } from '../../runtime/presence/remote-controllers.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';
import { allLists, holderOf, listId, MAX_CONTROLLERS, partId, readList, readPart } from './connection-rows.ts';
import { publishConnections } from './publish-connections.ts';

/**
 * Shares the presence of routers with the other controllers on the store until the controller closes.
 * @param readFurther as for `readRemoteControllers`
 * @returns a function that reads the routers of the others
 */
export const sharePresence = (
  core: Pick<Core, 'presence' | 'background' | 'platform'>,
  readFurther: () => Promise<void> | undefined,
): Core['catchUp'] => {
  const holder = newId(core.platform.random);
  const catchUp = readRemoteControllers(core, holder, readFurther);
  // This rejects only if the controller is already closed.
  publishConnections(core, holder, catchUp).catch(() => undefined);
  return catchUp;
};

/** Age after which a call waits for another read. ms */
const STALE_AFTER = 1000;
/** Age after which a call starts another read in the background, so that calls do not wait under load. ms */
const REFRESH_AFTER = 750;
/** Maximum number of parts per read. The remaining ones are read next time. */
const MAX_READ = 500;

interface CachedPart {
  readonly revision: number | undefined;
  readonly routers: readonly PresentRouter[];
}

/** @returns a function that reads the rows of other controllers, and rejects with errors of the store */
const createReader = (ownHolder: string) => {
  const cache = new Map<string, CachedPart>();
  return async (entities: Entities): Promise<readonly RemoteController[]> => {
    const rows = await entities.list(lease, { where: allLists, limit: MAX_CONTROLLERS });
    const lists = rows.map(({ id, until, told }) => ({
      until: Date.parse(until ?? ''),
      parts: id === listId(ownHolder) ? [] : readList(told).map((revision, index) => ({ id: partId(holderOf(id), index), revision })),
    }));
    const revisions = new Map(lists.flatMap(({ parts }) => parts.map(({ id, revision }) => [id, revision])));
    const changed = [...revisions.keys()].filter((id) => cache.get(id)?.revision !== revisions.get(id)).slice(0, MAX_READ);
    const read = changed.length === 0 ? [] : await entities.list(lease, { where: oneOf(stringField('id'), changed) });
    const partRows = new Map(read.map((row) => [row.id, row.told]));
    for (const id of changed) cache.set(id, { revision: revisions.get(id), routers: readPart(partRows.get(id)) });
    for (const id of cache.keys()) if (!revisions.has(id)) cache.delete(id);
    return lists.map(({ until, parts }) => ({ until, routers: parts.flatMap(({ id }) => cache.get(id)?.routers ?? []) }));
  };
};

/**
 * Reads the routers of other controllers on demand, as `Core.catchUp`.
 * @param ownHolder the holder of the rows of this controller
 * @param readFurther reads other changes by the controllers, if that is due. Called with each read; never rejects
 */
const readRemoteControllers = (
  { presence, background, platform }: Pick<Core, 'presence' | 'background' | 'platform'>,
  ownHolder: string,
  readFurther: () => Promise<void> | undefined,
): Core['catchUp'] => {
  const reader = createReader(ownHolder);
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const at = monotonic(platform.clock);
    try {
      presence.remote.replace(await background.run({ actor: 'system', requestId: 'presence' }, (job) => job.read(reader)));
    } catch {
      // The store is unavailable, which calls will report, or the controller is closing. Rows read earlier remain valid until they expire.
    }
    await readFurther();
    readAt = at;
    reading = undefined;
  };
  return () => {
    const age = monotonic(platform.clock) - readAt;
    if (age >= REFRESH_AFTER) reading ??= read();
    return age >= STALE_AFTER ? reading : undefined;
  };
};
