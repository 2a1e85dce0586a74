import type { RowOf } from '../../../api/kit/resource.ts';
import { lease } from '../../../api/leases.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { monotonic } from '../../../platform/timers.ts';
import type { PresentRouter } from '../../../presence/connections.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { allToldLists, listId, MOST_CONTROLLERS, partId, readList, readPart } from './told-routers.ts';

/** What was read so long ago is read again before a call goes on. ms */
const KNOWN_MS = 1000;
/** What was read so long ago is read again while a call goes on, so that under load none has to wait. ms */
const AHEAD_MS = 750;
/** Parts that are read at once; others, the next time. */
const MOST_READ = 500;

interface Heard {
  readonly until: number;
  readonly parts: ReadonlyMap<number, { readonly revision: number; readonly routers: readonly PresentRouter[] }>;
}

/** What is told by another controller, as far as it is to be believed. */
const isTeller = ({ id, holder, until }: RowOf<typeof lease>, own: string): boolean =>
  id === listId(holder ?? '') && holder !== own && !Number.isNaN(Date.parse(until ?? ''));

/** @returns reads what other controllers tell. Rejects where the store does */
const hearer = (own: string) => {
  let heard: ReadonlyMap<string, Heard> = new Map();
  return async (entities: Entities): Promise<readonly Heard[]> => {
    const rows = (await entities.list(lease, { where: allToldLists, limit: MOST_CONTROLLERS })).filter((row) => isTeller(row, own));
    const lists = rows.map(({ holder, until, told }) => ({
      holder: holder ?? '',
      until: Date.parse(until ?? ''),
      revisions: readList(told),
    }));
    const wanted = lists.flatMap(({ holder, revisions }) => {
      const known = heard.get(holder)?.parts;
      return revisions.flatMap((revision, place) => (known?.get(place)?.revision === revision ? [] : [partId(holder, place)]));
    });
    const asked = new Set(wanted.slice(0, MOST_READ));
    const read = asked.size === 0 ? [] : await entities.list(lease, { where: oneOf(stringField('id'), [...asked]) });
    const parts = new Map(read.map(({ id, told }) => [id, readPart(told)]));
    heard = new Map(
      lists.map(({ holder, until, revisions }) => {
        const known = heard.get(holder)?.parts;
        const now = revisions.flatMap((revision, place) => {
          const id = partId(holder, place);
          const part = asked.has(id) ? { revision, routers: parts.get(id) ?? [] } : known?.get(place);
          return part ? [[place, part] as const] : [];
        });
        return [holder, { until, parts: new Map(now) }];
      }),
    );
    return [...heard.values()];
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
      const heard = await background.run({ actor: 'system', requestId: 'presence' }, (job) => job.read(hear));
      presence.elsewhere.take(heard.map(({ until, parts }) => ({ until, routers: [...parts.values()].flatMap(({ routers }) => routers) })));
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
