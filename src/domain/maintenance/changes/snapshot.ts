import { kinds } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/resource.ts';
import type { ServerSentEvent } from '../../../api/surfaces/http-output.ts';
import type { Call } from '../../../call/call.ts';
import { type Change, type ChangedKind, type EntityState, isChangedKind, type StateEnd } from '../../../changelog/events.ts';
import { visibleFields } from '../../../changelog/visible.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { pastStateAt } from '../../../entities/past-state.ts';
import { ALL, and, compareText, idAfter } from '../../../query/index.ts';
import { isForSomebody } from '../../../resources/credential-fields.ts';
import { ofNoneProtected } from '../../../resources/granted.ts';
import { assertNear } from './cursor.ts';
import { streamedPage } from './page.ts';
import type { FollowedView } from './view.ts';

/** What a follower receives. */
export type Followed = Change | EntityState | StateEnd;

/** A place in a snapshot: after an entity or, without one, at its beginning. */
export interface SnapshotPlace {
  readonly revision: number;
  readonly after?: { readonly kind: ChangedKind; readonly id: string };
}

/**
 * The entities of a view as of one revision. Each page is read in a transaction of its own, in which the changes since are undone, so that a slow follower holds
 * no transaction open.
 */
export async function* snapshotAt(
  call: Call,
  { kinds: viewed }: FollowedView,
  { revision, after }: SnapshotPlace,
): AsyncGenerator<ServerSentEvent<EntityState>, void, undefined> {
  const open = pastStateAt(revision);
  let averageBytes: number | undefined;
  for (const [name, where] of viewed) {
    if (after && compareText(name, after.kind) < 0) continue;
    const kind: Kind = kinds[name];
    let last = name === after?.kind ? after.id : undefined;
    for (let isOver = false; !isOver; ) {
      const limit = streamedPage(averageBytes);
      const rows = await call.readOn(async (entities) => {
        await assertNear(entities, revision, call);
        const past = await (await open(entities, call.now())).approach(entities);
        const { permissions } = call.grant;
        const reach = permissions && isForSomebody(kind) ? await ofNoneProtected(entities, kind, permissions) : ALL;
        return past?.list(kind, { where: and(where, reach, idAfter(last)), limit });
      });
      if (!rows) {
        await yieldToEventLoop();
        continue;
      }
      if (rows.length > 0) averageBytes = JSON.stringify(rows).length / rows.length;
      for (const row of rows) {
        const place = { revision, after: { kind: name, id: row.id } };
        // Rows of the kind.
        const data = {
          action: 'exists',
          revision,
          entity: name,
          entityId: row.id,
          after: visibleFields(kind, row),
        } as unknown as EntityState;
        yield { ...placeMark(place), event: 'snapshot', data };
        last = row.id;
      }
      isOver = rows.length < limit;
    }
  }
}

/** The id of an event from which a follower continues within a snapshot. */
export const placeMark = ({ revision, after }: SnapshotPlace) => ({
  id: `${revision}/${after ? `${after.kind}/${encodeURIComponent(after.id)}` : ''}`,
});

/** The place in a snapshot that the id of an event names; undefined if it names none. */
export const snapshotPlaceIn = (lastEventId: string): SnapshotPlace | undefined => {
  const [, revision, kind = '', id = ''] = /^(\d{1,15})\/(?:(\w+)\/([\w.~!*'()%-]+))?$/.exec(lastEventId) ?? [];
  if (revision === undefined) return undefined;
  if (kind === '') return { revision: Number(revision) };
  const after = idIn(id);
  return isChangedKind(kind) && after !== undefined ? { revision: Number(revision), after: { kind, id: after } } : undefined;
};

const idIn = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};
