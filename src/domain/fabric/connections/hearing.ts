import { lease } from '../../../api/leases.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { monotonic } from '../../../platform/timers.ts';
import type { PresentRouter } from '../../../presence/connections.ts';
import type { OtherController } from '../../../presence/elsewhere.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { allToldLists, holderOf, listId, MOST_CONTROLLERS, partId, readList, readPart } from './told-routers.ts';

/** What was read so long ago is read again before a call goes on. ms */
const KNOWN_MS = 1000;
/** What was read so long ago is read again while a call goes on, so that under load none has to wait. ms */
const AHEAD_MS = 750;
/** Parts that are read at once; others, the next time. */
const MOST_READ = 500;

/** A part of a list, as it was read last. */
interface HeardPart {
  readonly revision: number | undefined;
  readonly routers: readonly PresentRouter[];
}

/** @returns reads what other controllers tell. Rejects where the store does */
const hearer = (own: string) => {
  const heard = new Map<string, HeardPart>();
  return async (entities: Entities): Promise<readonly OtherController[]> => {
    const rows = await entities.list(lease, { where: allToldLists, limit: MOST_CONTROLLERS });
    const lists = rows.map(({ id, until, told }) => ({
      until: Date.parse(until ?? ''),
      parts: id === listId(own) ? [] : readList(told).map((revision, place) => ({ id: partId(holderOf(id), place), revision })),
    }));
    const parts = new Map(lists.flatMap((list) => list.parts.map(({ id, revision }) => [id, revision])));
    const due = [...parts.keys()].filter((id) => heard.get(id)?.revision !== parts.get(id)).slice(0, MOST_READ);
    const read = due.length === 0 ? [] : await entities.list(lease, { where: oneOf(stringField('id'), due) });
    const told = new Map(read.map((row) => [row.id, row.told]));
    for (const id of due) heard.set(id, { revision: parts.get(id), routers: readPart(told.get(id)) });
    for (const id of heard.keys()) if (!parts.has(id)) heard.delete(id);
    return lists.map(({ until, parts }) => ({ until, routers: parts.flatMap(({ id }) => heard.get(id)?.routers ?? []) }));
  };
};

/**
 * Hears what other controllers on the store tell of routers, when it is asked to: as `Core.catchUpPresence`.
 * @param own the holder of the rows of this controller
 */
export const hearOthers = (
  { presence, background, platform }: Pick<Core, 'presence' | 'background' | 'platform'>,
  own: string,
): Core['catchUpPresence'] => {
  const hear = hearer(own);
  let knownAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const at = monotonic(platform.clock);
    try {
      presence.elsewhere.take(await background.run({ actor: 'system', requestId: 'presence' }, (job) => job.read(hear)));
    } catch {
      // The store is away, or the controller closes: those who ask find out themselves. What was heard counts until it expires.
    }
    knownAt = at;
    reading = undefined;
  };
  return () => {
    const age = monotonic(platform.clock) - knownAt;
    if (age >= AHEAD_MS) reading ??= read();
    return age >= KNOWN_MS ? reading : undefined;
  };
};
