import { kinds } from '../../api/index.ts';
import { actorId } from '../../call/actor.ts';
import type { Job } from '../../call/background.ts';
import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { tableOf } from '../../changes/views.ts';
import { ApiError } from '../../errors/index.ts';
import type { SnapshotSink } from '../../platform/snapshots.ts';
import { ALL, text } from '../../query/index.ts';
import { allKinds } from '../../resources/kinds.ts';
import { newId } from '../../storage/ids.ts';
import { FORMAT, snapshotOf } from '../../storage/snapshot/write.ts';
import { software } from '../../version.ts';
import { take, workOn } from './tasks.ts';

/** At most one a minute (contract of the published API). ms */
const PAUSE_MS = 60_000;

/**
 * Takes a snapshot, and resolves once it is kept. A client that does not wait for that leaves the snapshot to be finished.
 * @throws ApiError `NOT_CONFIGURED` where the host has given no place, `RATE_LIMITED` within a minute of the last one
 */
export const createSnapshot = async (call: Call): Promise<Record<string, never>> => {
  const { core, requestId } = call;
  const { snapshots } = core;
  if (!snapshots)
    throw new ApiError('NOT_CONFIGURED', {
      cause: {
        code: 'NOT_CONFIGURED',
        message: 'there is no place for snapshots: give one as the option `snapshots` of ManagementController.open',
      },
    });
  const hold = await take(call, 'snapshot', {}, PAUSE_MS);
  await core.background.run({ actor: actorId(call.actor), requestId }, (job) =>
    workOn(
      job,
      core,
      hold,
      () => takeSnapshot(job, core, snapshots),
      (failure) => (failure === null ? { succeededAt: nowOf(core) } : {}),
    ),
  );
  return {};
};

/** All that is stored but what controllers note down for themselves. */
const tables: readonly string[] = [...new Set(allKinds.filter(({ unrecorded }) => !unrecorded).map(tableOf))];

export const takeSnapshot = (job: Job, core: Core, sink: SnapshotSink): Promise<void> =>
  core.store.transaction('read', async (tx) => {
    const id = newId(core.platform.random);
    const takenAt = nowOf(core);
    const [last] = await tx.list(kinds.change.kind, { where: ALL, sort: [{ field: text('id'), descending: true }], limit: 1 });
    const head = {
      snapshot: 'overlay-controller',
      format: FORMAT,
      id,
      takenAt,
      software: `${software.name} ${software.version}`,
      revision: last ? Number(last.revision) : 0,
    } as const;
    await sink.save(
      `${takenAt.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${id}`,
      stoppable(snapshotOf(tx, tables, head), job.signal),
    );
  });

/** Ends with the controller, and lets others have a turn between two parts: where everything is in memory, nothing else would. */
async function* stoppable(parts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
}

const nowOf = ({ platform }: Core): string => new Date(platform.clock.now()).toISOString();
