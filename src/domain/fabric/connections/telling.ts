import { lease } from '../../../api/leases.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { Job } from '../../../jobs/background.ts';
import { putLease } from '../../../jobs/lease.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { every, monotonic } from '../../../platform/timers.ts';
import { createConnectedList } from './connected-list.ts';
import { allToldLists, BELIEVED_MS, holderOf, listId, MOST_CONTROLLERS, partId, toldBy, toldPart } from './told-routers.ts';

/** How often it is looked whether there is news. ms */
const LOOK_MS = 250;
/** Least time between two writes of news. ms */
const TOLD_MS = 1000;
/** Without news, it is said again that all is as it was. ms */
const RENEWED_MS = BELIEVED_MS / 3;
/** What a lost controller has left is removed after so long. ms */
const REMEMBERED_MS = 300_000;

/** What telling works with. */
type Place = Pick<Core, 'presence' | 'background' | 'platform'>;

/**
 * Tells the other controllers on the store which routers are connected here, until the controller closes. Nothing is written where no router connects.
 * @param holder by whom, in the rows
 * @param looked called once in a while as long as routers are connected
 */
export const tellConnected = async ({ presence, background, platform }: Place, holder: string, looked: () => unknown): Promise<void> => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const { note, parts } = createConnectedList();
  /** The revisions of the parts as they were written; undefined while there is no row of this controller. */
  let written: readonly number[] | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = triedAt;

  const write = async (entities: Entities) => {
    const known = await entities.get(lease, listId(holder));
    // All at one moment: a revision belongs to what is written under it.
    const revisions = parts.map(({ revision }) => revision);
    const rows = parts.flatMap(({ revision, connections }, place) =>
      // Others may have given this controller up: then it is as if nothing was written.
      known && written?.[place] === revision ? [] : [{ id: partId(holder, place), told: toldPart(connections.values()) }],
    );
    const until = isoTime(clock.now() + BELIEVED_MS);
    for (const { id, told } of [...rows, { id: listId(holder), told: revisions }]) await putLease(entities, id, { holder, until, told });
    await removeLost(entities, isoTime(clock.now() - REMEMBERED_MS));
    return revisions;
  };
  const tell = async (job: Job) => {
    // Should it fail, there may be rows all the same.
    written ??= [];
    written = await job.write(write);
    renewedAt = triedAt;
  };
  const withdraw = async (job: Job) => {
    await job.conclude((entities) => removeAll(entities, holder));
    written = undefined;
  };
  const failed = (error: unknown) =>
    log('warn', 'other controllers were not told of all routers that are connected', { error: String(error) });

  await background.run({ actor: 'system', requestId: 'presence' }, async (job) => {
    let stop: (() => void) | undefined;
    let looking: Promise<void> = Promise.resolve();
    const look = async () => {
      const isEmpty = parts.length === 0;
      if (isEmpty && !written) {
        stop?.();
        stop = undefined;
        return;
      }
      looked();
      const now = monotonic(clock);
      const isDue = now - renewedAt >= RENEWED_MS || isEmpty || parts.some(({ revision }, i) => revision !== written?.[i]);
      if (!isDue || now - triedAt < TOLD_MS) return;
      triedAt = now;
      await (isEmpty ? withdraw : tell)(job).catch((error: unknown) => job.signal.aborted || failed(error));
    };
    presence.onChange((routerId, connection) => {
      if (!note(routerId, connection)) failed('they are too many');
      if (!job.signal.aborted) stop ??= every(clock, LOOK_MS, () => (looking = look()));
    });
    await new Promise((close) => job.signal.addEventListener('abort', close));
    stop?.();
    await looking;
    if (written) await withdraw(job).catch(failed);
  });
};

const removeAll = async (entities: Entities, holder: string): Promise<void> => {
  for (const row of await entities.list(lease, { where: toldBy(holder) })) await entities.remove(lease, row);
};

/** Controllers that have ended without a word. */
const removeLost = async (entities: Entities, before: string): Promise<void> => {
  for (const { id, until } of await entities.list(lease, { where: allToldLists, limit: MOST_CONTROLLERS }))
    if ((until ?? '') < before) await removeAll(entities, holderOf(id));
};
