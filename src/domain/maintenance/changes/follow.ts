import type { changes } from '../../../api/change-log.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { ServerSentEvent } from '../../../api/surfaces/http-output.ts';
import type { Call } from '../../../call/call.ts';
import type { Change, ChangedKind } from '../../../changelog/events.ts';
import { followLog, type ReadRecords, revisionAt } from '../../../changelog/follow.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import { invalidField } from '../../../errors/index.ts';
import { pause } from '../../../platform/clock.ts';
import { ALL, compileMatcher } from '../../../query/index.ts';
import { shownRecords } from '../../../resources/granted.ts';
import { assertNear, checkedCursor, checkedKinds, cursorExpired } from './cursor.ts';
import { streamedPage } from './page.ts';
import { type Followed, placeMark, type SnapshotPlace, snapshotAt, snapshotPlaceIn } from './snapshot.ts';
import { assertAffordable, type FollowedView, viewOf } from './view.ts';

type Operation = typeof changes.operations.follow;

/** The kinds that a follower asks for; undefined for all. */
type Wanted = ReadonlySet<ChangedKind> | undefined;

/** Interval at which an actor's permission is checked while there are no changes, because its session may have expired. ms */
const RECHECK_MS = 5000;
/** Delay before a disconnected client reconnects. ms */
const RETRY_MS = 1000;

/** Streams the changes after a revision, or a snapshot and the changes after it. */
export const followChanges = async (
  call: Call,
  { after, kinds, snapshot, filter, lastEventId }: DecodedOf<Operation>,
): Promise<OutputOf<Operation>> => {
  const wanted = checkedKinds(kinds);
  const view = viewOf(call, wanted, filter);
  if (snapshot && after !== undefined) throw invalidField('after', 'a snapshot begins at the present: leave out after, or snapshot', after);
  if (filter) await call.read((entities) => assertAffordable(entities, call, view, filter));
  const place = lastEventId === undefined ? undefined : snapshotPlaceIn(lastEventId);
  if (place || (snapshot && lastEventId === undefined)) {
    const revision = await call.read(async (entities) => {
      if (!place) return entities.revision();
      await assertNear(entities, place.revision, call);
      return checkedCursor(entities, 'last-event-id', place.revision);
    });
    return snapshotAndChanges(call, view, place ?? { revision }, wanted);
  }
  const name = lastEventId === undefined ? 'after' : 'last-event-id';
  const requested = lastEventId === undefined ? after : revisionIn(lastEventId);
  const start = await call.read(async (entities) =>
    requested === undefined ? revisionAt(recordsIn(entities), 'newest') : checkedCursor(entities, name, requested),
  );
  return eventsAfter(call, start, view, wanted);
};

async function* snapshotAndChanges(
  call: Call,
  view: FollowedView,
  place: SnapshotPlace,
  wanted: Wanted,
): AsyncGenerator<ServerSentEvent<Followed>, void, undefined> {
  yield { ...placeMark(place), retry: RETRY_MS };
  yield* snapshotAt(call, view, place);
  const { revision } = place;
  yield { ...mark(revision), event: 'snapshot', data: { action: 'complete', revision } };
  yield* eventsAfter(call, revision, view, wanted);
}

const revisionIn = (lastEventId: string): number => {
  if (!/^\d{1,15}$/.test(lastEventId)) throw invalidField('last-event-id', 'last-event-id must be a revision', lastEventId);
  return Number(lastEventId);
};

async function* eventsAfter(
  call: Call,
  start: number,
  view: FollowedView,
  wanted: Wanted,
): AsyncGenerator<ServerSentEvent<Change>, void, undefined> {
  const { logWatch, platform } = call.core;
  const { signal: closing } = logWatch;
  let checkedAt = 0;
  // Sent before any change, so that a client that is disconnected before the first change also resumes from here.
  yield { ...mark(start), retry: RETRY_MS };
  // Each read checks the permission again. Followers that have come equally far share it.
  const read: ReadRecords = (query) => {
    checkedAt = platform.clock.now();
    return call.readTogether(JSON.stringify(query), (entities) => recordsIn(entities)(query)).catch(unlessAborted(closing));
  };
  const untilGrown = async (revision: number): Promise<number | undefined> => {
    await waitForMore(call, revision, wanted);
    if (!closing.aborted) call.signal.throwIfAborted();
    const isChecked = platform.clock.now() - checkedAt < RECHECK_MS;
    return wanted && isChecked ? logWatch.passedBy(revision, wanted) : undefined;
  };
  let after = start;
  for await (const { changes, missingUpTo, passedTo } of followLog(read, start, { batch: streamedPage, untilGrown, signal: closing })) {
    if (missingUpTo !== undefined) throw cursorExpired(after, missingUpTo);
    if (passedTo !== undefined) {
      after = passedTo;
      yield mark(after);
    }
    let isMarked = true;
    const isShown = compileMatcher(call.grant.permissions ? await call.readOn((entities) => shownRecords(entities, call)) : ALL);
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

/** Sets the revision from which a client resumes. */
const mark = (revision: number) => ({ id: String(revision) });

/** Waits until there may be more to read, or the permission is due to be checked. */
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
