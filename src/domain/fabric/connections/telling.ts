import { lease } from '../../../api/leases.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { Job } from '../../../jobs/background.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { every, monotonic } from '../../../platform/timers.ts';
import { createConnectedList } from './connected-list.ts';
import { allToldLists, BELIEVED_MS, listId, MOST_CONTROLLERS, partId, toldList, toldPart, toldPartsOf } from './told-routers.ts';

/** How often it is looked whether there is news. ms */
const LOOK_MS = 250;
/** News are told no more often. ms */
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
  const list = createConnectedList();
  /** Whether there may be rows of this controller. */
  let isTold = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const write = (changed: readonly number[]) => async (entities: Entities) => {
    const known = await entities.get(lease, listId(holder));
    // There is none where this is the first, or where others have given this controller up.
    const places = known ? changed : [...list.parts.keys()];
    // All at one moment: a revision belongs to what is written under it.
    const revisions = toldList(list.parts.map(({ revision }) => revision));
    const parts = places.flatMap((place) => {
      const part = list.parts[place];
      return part ? [{ id: partId(holder, place), told: toldPart(part.connections.values()) }] : [];
    });
    for (const { id, told } of parts) await put(entities, id, { told });
    await put(entities, listId(holder), { holder, until: isoOf(clock.now() + BELIEVED_MS), told: revisions });
    await removeLost(entities, isoOf(clock.now() - REMEMBERED_MS));
  };
  const tell = async (job: Job) => {
    const changed = list.takeChanged();
    isTold = true;
    try {
      await job.write(write(changed));
      renewedAt = triedAt;
    } catch (error) {
      list.giveBack(changed);
      throw error;
    }
  };
  const withdraw = async (job: Job) => {
    await job.conclude((entities) => removeAll(entities, holder));
    isTold = false;
  };

  await background.run({ actor: 'system', requestId: 'presence' }, async (job) => {
    let stop: (() => void) | undefined;
    let looking: Promise<void> = Promise.resolve();
    const look = async () => {
      const now = monotonic(clock);
      if (list.isEmpty && !isTold) {
        stop?.();
        stop = undefined;
        return;
      }
      looked();
      const isDue = list.isEmpty || list.hasChanged || now - renewedAt >= RENEWED_MS;
      if (!isDue || now - triedAt < TOLD_MS) return;
      triedAt = now;
      await (list.isEmpty ? withdraw(job) : tell(job)).catch((error: unknown) => {
        if (!job.signal.aborted) log('warn', 'other controllers could not be told which routers are connected', { error: String(error) });
      });
    };
    presence.onChange((routerId, connection) => {
      if (!list.note(routerId, connection))
        log('warn', 'too many routers are connected: other controllers are not told of all', { routerId });
      if (job.signal.aborted) return;
      stop ??= every(clock, LOOK_MS, () => {
        looking = look();
        return looking;
      });
    });
    await new Promise<void>((close) => job.signal.addEventListener('abort', () => close()));
    stop?.();
    await looking;
    if (isTold)
      await withdraw(job).catch((error: unknown) =>
        log('warn', 'other controllers could not be told that no router is connected here any more; they will notice', {
          error: String(error),
        }),
      );
  });
};

const put = async (entities: Entities, id: string, fields: { holder?: string; until?: string; told: unknown }): Promise<void> => {
  const known = await entities.get(lease, id);
  if (known) await entities.update(lease, known, fields);
  else await entities.insert(lease, { id, holder: null, until: null, ...fields });
};

const removeAll = async (entities: Entities, holder: string): Promise<void> => {
  for (const row of await entities.list(lease, { where: toldPartsOf(holder) })) await entities.remove(lease, row);
  const known = await entities.get(lease, listId(holder));
  if (known) await entities.remove(lease, known);
};

/** Controllers that have ended without a word. */
const removeLost = async (entities: Entities, before: string): Promise<void> => {
  for (const { id, until } of await entities.list(lease, { where: allToldLists, limit: MOST_CONTROLLERS }))
    if ((until ?? '') < before) await removeAll(entities, id.slice(id.indexOf('/') + 1));
};

const isoOf = (time: number): string => new Date(time).toISOString();
