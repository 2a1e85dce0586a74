import type { Call } from '../../call/call.ts';
import { isForSomebody } from '../../call/resources/credential-fields.ts';
import { ofNoneProtected } from '../../call/resources/granted.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { ServerSentEvent } from '../../contract/api/surfaces/http-output.ts';
import { type Change, type ChangedKind, type EntityState, isChangedKind, type StateEnd } from '../../contract/changes/events.ts';
import { ALL, and, compareText, idAfter, type Predicate } from '../../query/index.ts';
import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { visibleFields } from '../../store/changelog/visible.ts';
import { pastStateAt } from '../../store/entities/past-state.ts';
import type { Row } from '../../store/storage/port.ts';
import { assertRecentSnapshot } from './cursor.ts';
import { streamedPage } from './page.ts';
import type { FollowedView } from './view.ts';

/** The events that a follower receives. */
export type Followed = Change | EntityState | StateEnd;

/** A position in a snapshot: after an entity or, without one, at the beginning. */
export interface SnapshotCursor {
  readonly revision: number;
  readonly after?: { readonly kind: ChangedKind; readonly id: string };
}

/**
 * Streams the entities of a view as of one revision. Each page is read in a separate transaction, in which later changes are undone, so
 * that a slow follower does not hold a transaction open.
 */
export async function* snapshotAt(
  call: Call,
  { kinds: viewed }: FollowedView,
  { revision, after }: SnapshotCursor,
): AsyncGenerator<ServerSentEvent<EntityState>, void, undefined> {
  const pageOf = pastPages(call, revision);
  for (const [name, where] of viewed) {
    if (after && compareText(name, after.kind) < 0) continue;
    let last = name === after?.kind ? after.id : undefined;
    for (let isComplete = false; !isComplete; ) {
      const page = await pageOf(kinds[name], and(where, idAfter(last)));
      if (page) for (const row of page.rows) yield snapshotEvent(name, row, revision);
      else await yieldToEventLoop();
      last = page?.rows.at(-1)?.id ?? last;
      isComplete = page?.isLast ?? false;
    }
  }
}

/**
 * Returns a function that reads the next page of a kind. It answers undefined if it has only undone some of the later changes, and is to be
 * called again.
 */
const pastPages = (call: Call, revision: number) => {
  const open = pastStateAt(revision);
  let averageBytes: number | undefined;
  return async (kind: Kind, where: Predicate) => {
    const limit = streamedPage(averageBytes);
    const rows = await call.readReauthorized(async (entities) => {
      await assertRecentSnapshot(entities, revision, call);
      const past = await (await open(entities, call.now())).openStep(entities);
      const { permissions } = call.grant;
      const reach = permissions && isForSomebody(kind) ? await ofNoneProtected(entities, kind, permissions) : ALL;
      return past?.list(kind, { where: and(where, reach), limit });
    });
    if (rows && rows.length > 0) averageBytes = JSON.stringify(rows).length / rows.length;
    return rows && { rows, isLast: rows.length < limit };
  };
};

const snapshotEvent = (entity: ChangedKind, row: Row, revision: number): ServerSentEvent<EntityState> => {
  const after = visibleFields(kinds[entity], row);
  const data = { action: 'exists', revision, entity, entityId: row.id, after } as unknown as EntityState; // the row is one of the kind
  return { ...encodeCursor({ revision, after: { kind: entity, id: row.id } }), event: 'snapshot', data };
};

/** The event id from which a follower resumes within a snapshot. */
export const encodeCursor = ({ revision, after }: SnapshotCursor) => ({
  id: `${revision}/${after ? `${after.kind}/${encodeURIComponent(after.id)}` : ''}`,
});

/** Decodes the position in a snapshot; undefined if the event id is not one of a snapshot. */
export const decodeCursor = (lastEventId: string): SnapshotCursor | undefined => {
  const [, revision, kind = '', id = ''] = /^(\d{1,15})\/(?:(\w+)\/([\w.~!*'()%-]+))?$/.exec(lastEventId) ?? [];
  if (revision === undefined) return undefined;
  if (kind === '') return { revision: Number(revision) };
  const after = decodeId(id);
  return isChangedKind(kind) && after !== undefined ? { revision: Number(revision), after: { kind, id: after } } : undefined;
};

const decodeId = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};
