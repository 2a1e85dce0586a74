import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { newRow } from '../../call/resources/merge.ts';
import { maintenanceTask } from '../../contract/api/database.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { lease as leaseKind } from '../../contract/api/leases.ts';
import { ApiError, RETRY_AFTER } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Job } from '../../store/jobs/background.ts';
import { type Claim, claimLease, holdLease, isHeld, type Lease } from '../../store/jobs/lease.ts';
import { newId } from '../../store/storage/ids.ts';

export type Task = RowOf<typeof maintenanceTask>;
/** The name of the task, and of its lease. */
export type TaskName = 'data-integrity' | 'snapshot';
type Fields = Partial<Omit<Task, 'id'>>;

/** Time without a renewal of its lease after which another controller may take over a task. ms */
const LEASE_MS = 60_000;

/** A task that this controller has acquired. */
export interface TakenTask {
  readonly name: TaskName;
  readonly claim: Claim;
}

/**
 * Acquires a task, if no controller of the network holds it.
 * @param pause minimum time since the last success of the task, ms
 * @throws ApiError `RATE_LIMITED`; TypeError in a transaction of the host, which would deadlock with the work
 */
export const take = (call: Call, name: TaskName, fields: Fields, pause = 0): Promise<TakenTask> => {
  if (call.isJoined) throw new TypeError('maintenance cannot be part of a transaction of the host');
  const claim = { name, holder: newId(call.core.platform.random), duration: LEASE_MS };
  return call.write(async (entities) => {
    const now = call.now();
    if ((await claimLease(entities, claim, now)) !== undefined) throw new ApiError('RATE_LIMITED', { retryAfter: RETRY_AFTER.busy });
    const task = await entities.get(maintenanceTask, name);
    const toWait = task?.succeededAt ? Date.parse(task.succeededAt) + pause - Date.parse(now) : 0;
    // Longer than the pause only if a clock was ahead at the last success.
    if (toWait > 0 && toWait <= pause) throw new ApiError('RATE_LIMITED', { retryAfter: Math.ceil(toWait / 1000) });
    const taken = { ...fields, startedAt: call.core.stamp(), endedAt: null, error: null };
    if (task) await entities.update(maintenanceTask, task, taken);
    else await entities.insert(maintenanceTask, newRow(maintenanceTask, {}, { id: name, ...taken }));
    return { name, claim };
  });
};

/** The operations that the work of a task may use. All of them require the lease of the task. */
export interface TaskWork extends Pick<Lease, 'signal' | 'read' | 'write'> {
  /**
   * Stores the progress.
   * @throws errors of `write`
   */
  note(fields: Fields): Promise<void>;
}

/**
 * Runs the work of an acquired task, and always releases the task.
 * @param result computes the fields to store at the end from the value of the work, which is undefined if the work failed
 * @throws errors of `work`
 */
export const workOn = async <T>(
  job: Job,
  core: Core,
  { name, claim }: TakenTask,
  work: (task: TaskWork) => Promise<T>,
  result: (value: T | undefined) => Fields,
): Promise<T> => {
  const lease = holdLease(job, core.platform.clock, claim);
  const put = (fields: Fields) => async (entities: Entities) => {
    await entities.update(maintenanceTask, await entities.require(maintenanceTask, name), fields);
  };
  const end = (failure: string | null, value?: T) => lease.release(put({ ...result(value), endedAt: core.stamp(), error: failure }));
  try {
    const value = await work({ ...lease, note: (fields) => lease.write(put(fields)) });
    await end(null, value);
    return value;
  } catch (error) {
    await end(messageOf(error)).catch((another) =>
      core.platform.logger.warn(`could not record the end of the task ${name}; it is reported as lost once its lease expires`, {
        error: String(another),
      }),
    );
    throw error;
  }
};

/** The state of the last run of a task. If its controller was lost, the run counts as failed with that error. */
export const progressOf = async (entities: Entities, name: TaskName, now: string) => {
  const task = await entities.get(maintenanceTask, name);
  const lease = await entities.get(leaseKind, name);
  const isOpen = task !== undefined && task.endedAt === null;
  const inProgress = isOpen && isHeld(lease, now);
  const isLost = isOpen && !inProgress;
  const progress = {
    endTime: (isLost ? lease?.until : task?.endedAt) ?? null,
    error: isLost ? 'the controller that ran it was lost before the end' : (task?.error ?? null),
    inProgress,
    startTime: task?.startedAt ?? null,
  };
  return { task, progress };
};

/** The message of an error, or the reason in its cause for an `ApiError`. */
export const messageOf = (error: unknown): string => {
  if (error instanceof ApiError && error.cause && 'message' in error.cause) return error.cause.message;
  return error instanceof Error ? error.message : String(error);
};
