import type { Call } from '../../call/call.ts';
import { shownRecords } from '../../call/resources/granted.ts';
import type { changes } from '../../contract/api/change-log.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import type { ServerSentEvent } from '../../contract/api/surfaces/http-output.ts';
import type { Change, ChangedKind } from '../../contract/changes/events.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { ALL, compileMatcher } from '../../query/index.ts';
import { pause } from '../../runtime/platform/clock.ts';
import { followLog, type ReadRecords, revisionAt } from '../../store/changelog/follow.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import { assertRecentSnapshot, checkedCursor, checkedKinds, cursorExpired } from './cursor.ts';
import { streamedPage } from './page.ts';
import { decodeCursor, encodeCursor, type Followed, type SnapshotCursor, snapshotAt } from './snapshot.ts';
import { assertAffordable, type FollowedView, viewOf } from './view.ts';

type Operation = typeof changes.operations.follow;

/** The requested kinds; undefined for all. */
type RequestedKinds = ReadonlySet<ChangedKind> | undefined;

/** Interval at which an actor's permission is checked while there are no changes, because its session may have expired. ms */
const RECHECK_MS = 5000;
/** Delay before a disconnected client reconnects. ms */
const RETRY_MS = 1000;

/** Streams the changes after a revision, or a snapshot and the changes after it. */
export const followChanges = async (
  call: Call,
  { after, kinds, snapshot, filter, lastEventId }: DecodedOf<Operation>,
): Promise<OutputOf<Operation>> => {
  const requestedKinds = checkedKinds(kinds);
  const view = viewOf(call, requestedKinds, filter);
  if (snapshot && after !== undefined)
    throw invalidField('after', 'a snapshot begins at the current revision: omit after or snapshot', after);
  if (filter) await call.read((entities) => assertAffordable(entities, call, view, filter));
  const cursor = lastEventId === undefined ? undefined : decodeCursor(lastEventId);
  if (cursor || (snapshot && lastEventId === undefined)) {
    const revision = await call.read(async (entities) => {
      if (!cursor) return entities.revision();
      await assertRecentSnapshot(entities, cursor.revision, call);
      return checkedCursor(entities, 'last-event-id', cursor.revision);
    });
    return snapshotAndChanges(call, view, cursor ?? { revision }, requestedKinds);
  }
  const name = lastEventId === undefined ? 'after' : 'last-event-id';
  const requested = lastEventId === undefined ? after : revisionIn(lastEventId);
  const start = await call.read(async (entities) =>
    requested === undefined ? revisionAt(recordsIn(entities), 'newest') : checkedCursor(entities, name, requested),
  );
  return eventsAfter(call, start, view, requestedKinds);
};

async function* snapshotAndChanges(
  call: Call,
  view: FollowedView,
  cursor: SnapshotCursor,
  requestedKinds: RequestedKinds,
): AsyncGenerator<ServerSentEvent<Followed>, void, undefined> {
  yield { ...encodeCursor(cursor), retry: RETRY_MS };
  yield* snapshotAt(call, view, cursor);
  const { revision } = cursor;
  yield { ...mark(revision), event: 'snapshot', data: { action: 'complete', revision } };
  yield* eventsAfter(call, revision, view, requestedKinds);
}

const revisionIn = (lastEventId: string): number => {
  if (!/^\d{1,15}$/.test(lastEventId)) throw invalidField('last-event-id', 'last-event-id must be a revision', lastEventId);
  return Number(lastEventId);
};

async function* eventsAfter(
  call: Call,
  start: number,
  view: FollowedView,
  requestedKinds: RequestedKinds,
): AsyncGenerator<ServerSentEvent<Change>, void, undefined> {
  const { logWatch, platform } = call.core;
  const { signal: closing } = logWatch;
  let checkedAt = 0;
  // Sent before any change, so that a client that is disconnected before the first change also resumes from here.
  yield { ...mark(start), retry: RETRY_MS };
  // Each read checks the permission again. Followers at the same revision share a read.
  const read: ReadRecords = (query) => {
    checkedAt = platform.clock.now();
    return call.readTogether(JSON.stringify(query), (entities) => recordsIn(entities)(query)).catch(unlessAborted(closing));
  };
  const untilGrown = async (revision: number): Promise<number | undefined> => {
    await waitForMore(call, revision, requestedKinds);
    if (!closing.aborted) call.signal.throwIfAborted();
    const isChecked = platform.clock.now() - checkedAt < RECHECK_MS;
    return requestedKinds && isChecked ? logWatch.passedBy(revision, requestedKinds) : undefined;
  };
  let after = start;
  for await (const { changes, missingUpTo, passedTo } of followLog(read, start, { batch: streamedPage, untilGrown, signal: closing })) {
    if (missingUpTo !== undefined) throw cursorExpired(after, missingUpTo);
    if (passedTo !== undefined) {
      after = passedTo;
      yield mark(after);
    }
    let isMarked = true;
    const isShown = compileMatcher(call.grant.permissions ? await call.readReauthorized((entities) => shownRecords(entities, call)) : ALL);
    for (const change of changes) {
      const seen = isShown({ ...change }) ? view.seen(change) : undefined;
      if (seen) yield { ...mark(change.revision), event: 'change', data: seen };
      isMarked = seen !== undefined;
    }
    after += changes.length;
    if (!isMarked) yield mark(after);
  }
}

/** Treats a failed read as empty if the controller is closing. */
const unlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): readonly [] => {
    if (!signal.aborted) throw error;
    return [];
  };

/** The event id from which a client resumes. */
const mark = (revision: number) => ({ id: String(revision) });

/** Waits until there may be new records, or until the permission must be checked again. */
export const waitForMore = async (
  { actor, core: { logWatch, platform }, signal }: Call,
  after: number,
  kinds?: ReadonlySet<string>,
): Promise<void> => {
  if (!('identity' in actor)) return logWatch.growsBeyond(after, signal, kinds);
  const waiting = new AbortController();
  const end = () => waiting.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  await Promise.race([logWatch.growsBeyond(after, waiting.signal, kinds), pause(platform.clock, RECHECK_MS, waiting.signal)]);
  signal.removeEventListener('abort', end);
  end();
};
