import { database } from '../../../api/database.ts';
import { surfaces } from '../../../api/surfaces/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { explained, unavailable } from '../../../errors/index.ts';
import { pause } from '../../../platform/clock.ts';
import type { SnapshotSink } from '../../../platform/platform.ts';
import { saveSnapshot, type TakenSnapshot } from '../../../storage/snapshot/take.ts';
import { take, workOn } from './tasks.ts';

/** Minimum interval between snapshots: the published API allows one per minute. ms */
const PAUSE_MS = 60_000;

/** The fraction of the caller's time limit that is spent waiting for the snapshot. */
const WAIT_FRACTION = 0.75;

/**
 * Takes a snapshot, and resolves once it is saved. A caller over HTTP gets 202 before its time limit if the work is still in progress. As the published API
 * requires, the answer is an empty object; its `location` header points to the state of the snapshot, which includes the name.
 * @throws ApiError `NOT_CONFIGURED` if the host has configured no sink, `RATE_LIMITED` within a minute of the last snapshot, `SERVER_UNAVAILABLE` if the
 *   sink cannot store it
 */
export const createSnapshot = async (call: Call): Promise<Record<string, never>> => {
  const { core, requestId } = call;
  const { snapshots } = core;
  if (!snapshots)
    throw explained('NOT_CONFIGURED', 'there is no place for snapshots: give one as the option `snapshots` of ManagementController.open');
  const taken = await take(call, 'snapshot', {}, PAUSE_MS);
  const work = core.background.run(call.attribution, (job) =>
    workOn(
      job,
      core,
      taken,
      ({ signal }) => keepSnapshot(signal, core, snapshots),
      (snapshot) => (snapshot ? { succeededAt: nowOf(core), snapshotName: snapshot.name } : {}),
    ),
  );
  call.answerHeaders.set('location', `${surfaces.extensions.prefix}${database.operations.getSnapshot.path}`);
  if (await endsWithin(work, core, call.timeLimit)) await work;
  else {
    call.isAccepted = true;
    work.catch((error: unknown) => core.platform.logger.error('the snapshot could not be taken', { requestId, error: String(error) }));
  }
  return {};
};

/** Waits for the work, but not longer than `WAIT_FRACTION` of the time limit. @returns false if the work is still in progress by then */
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

/** Saves a snapshot to the sink. @param signal aborts the snapshot */
export const keepSnapshot = (signal: AbortSignal, core: Core, sink: SnapshotSink): Promise<TakenSnapshot> =>
  core.store.transaction('read', (tx) => saveSnapshot(core.store, tx, stoppableSink(signal, core, sink), core.platform));

const stoppableSink = (signal: AbortSignal, core: Core, sink: SnapshotSink): SnapshotSink => ({
  save: async (name, parts) => {
    const state: Watched = { fault: undefined };
    try {
      await sink.save(name, watched(stoppable(parts, signal), state));
    } catch (error) {
      if (state.fault) throw state.fault.error;
      // For example, the disk is full: neither the client nor the controller can fix that.
      core.platform.logger.error('could not save the snapshot: the SnapshotSink of the option snapshots failed', { error });
      throw unavailable('the place where snapshots are kept did not take it; the log of the controller says why');
    }
  },
});

/** The error that generating the parts has thrown, if any. */
interface Watched {
  fault: { readonly error: unknown } | undefined;
}

async function* watched(parts: AsyncIterable<string>, state: Watched): AsyncGenerator<string> {
  try {
    for await (const part of parts) yield part;
  } catch (error) {
    state.fault = { error };
    throw error;
  }
}

/** Stops when the controller closes, and yields to the event loop between parts, because an in-memory store never does. */
async function* stoppable(parts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
    await yieldToEventLoop();
  }
}

const nowOf = ({ platform }: Core): string => new Date(platform.clock.now()).toISOString();
