import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { database } from '../../contract/api/database.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { explained, unavailable } from '../../contract/errors/index.ts';
import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { pause } from '../../runtime/platform/clock.ts';
import type { SnapshotSink } from '../../runtime/platform/platform.ts';
import { saveSnapshot, type TakenSnapshot } from '../../store/storage/snapshot/take.ts';
import { take, workOn } from './tasks.ts';

/** Minimum interval between snapshots, in ms: the published API allows one per minute. */
const MIN_INTERVAL = 60_000;

/** The fraction of the call's time limit after which a snapshot in progress is answered with 202. */
const WAIT_FRACTION = 0.75;

/** The answer that the published management API requires is an empty object; the `location` header points to the state, with the name. */
export const createSnapshot = async (call: Call): Promise<Record<string, never>> => {
  await takeSnapshot(call);
  return {};
};

/**
 * A path in the request changes nothing: only the host decides where snapshots are stored. The command line of the reference can show an
 * answer with the name, and none of the refusals that fit.
 */
export const createSnapshotWithPath = async (call: Call) => ({ path: (await takeSnapshot(call))?.name ?? '' });

/**
 * Takes a snapshot, and resolves once it is saved. Over HTTP, the answer is 202 if the snapshot is still in progress shortly before the
 * time limit. The `location` header points to the state of the snapshot, which has its name.
 * @returns undefined if the snapshot is still in progress
 * @throws ApiError `NOT_CONFIGURED` without a sink, `RATE_LIMITED` within a minute of the last one, `SERVER_UNAVAILABLE` if the sink fails
 */
const takeSnapshot = async (call: Call): Promise<TakenSnapshot | undefined> => {
  const { core, requestId } = call;
  const { snapshots } = core;
  if (!snapshots)
    throw explained(
      'NOT_CONFIGURED',
      'no sink for snapshots is configured: pass one as the option `snapshots` of ManagementController.open',
    );
  const task = await take(call, 'snapshot', {}, MIN_INTERVAL);
  const work = core.background.run(call.attribution, (job) =>
    workOn(
      job,
      core,
      task,
      ({ signal }) => saveToSink(signal, core, snapshots),
      (snapshot) => (snapshot ? { succeededAt: nowOf(core), snapshotName: snapshot.name } : {}),
    ),
  );
  call.answerHeaders.set('location', `${surfaces.extensions.prefix}${database.operations.getSnapshot.path}`);
  if (await endsWithin(work, core, call.timeLimit)) return work;
  call.isAccepted = true;
  work.catch((error: unknown) => core.platform.logger.error('the snapshot could not be taken', { requestId, error: String(error) }));
  return undefined;
};

/**
 * Waits for the work, at most for `WAIT_FRACTION` of the time limit.
 * @returns false if the work is still in progress
 */
const endsWithin = async (work: Promise<unknown>, { platform }: Core, timeLimit: number | undefined): Promise<boolean> => {
  if (timeLimit === undefined) return true;
  const timer = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const isOver = await Promise.race([ended, pause(platform.clock, timeLimit * WAIT_FRACTION, timer.signal).then(() => false)]);
  timer.abort();
  return isOver;
};

/**
 * Takes a snapshot and saves it to the sink.
 * @param signal aborts the snapshot
 */
export const saveToSink = (signal: AbortSignal, core: Core, sink: SnapshotSink): Promise<TakenSnapshot> =>
  core.store.transaction('read', (tx) => saveSnapshot(core.store, tx, abortableSink(signal, core, sink), core.platform));

/** The sink of the host, with parts that stop on the signal. Its own errors are logged, and become `SERVER_UNAVAILABLE`. */
const abortableSink = (signal: AbortSignal, core: Core, sink: SnapshotSink): SnapshotSink => ({
  save: async (name, parts) => {
    const source: Source = { failure: undefined };
    try {
      await sink.save(name, recordFailure(abortable(parts, signal), source));
    } catch (error) {
      if (source.failure) throw source.failure.error;
      // For example, the disk is full: neither the client nor the controller can fix that.
      core.platform.logger.error('could not save the snapshot: the SnapshotSink of the option snapshots failed', { error });
      throw unavailable('the snapshot could not be stored; the log of the controller has the reason');
    }
  },
});

/** The source of the parts. If it has failed, the error of the sink is only a consequence. */
interface Source {
  failure: { readonly error: unknown } | undefined;
}

async function* recordFailure(parts: AsyncIterable<string>, source: Source): AsyncGenerator<string> {
  try {
    for await (const part of parts) yield part;
  } catch (error) {
    source.failure = { error };
    throw error;
  }
}

/** Yields to the event loop between parts, because an in-memory store never does. */
export async function* abortable(parts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
    await yieldToEventLoop();
  }
}

const nowOf = ({ platform }: Core): string => new Date(platform.clock.now()).toISOString();
