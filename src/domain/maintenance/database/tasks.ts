import { maintenanceTask } from '../../../api/database.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { ApiError, RETRY_AFTER } from '../../../errors/index.ts';
import type { Job } from '../../../jobs/background.ts';
import { newRow } from '../../../resources/merge.ts';
import { newId } from '../../../storage/ids.ts';

export type Task = RowOf<typeof maintenanceTask>;
export type TaskName = 'data-integrity' | 'snapshot';
type Fields = Partial<Omit<Task, 'id' | 'holder' | 'heldUntil'>>;

/** Of a controller that has not been heard of for so long, another takes its task over. ms */
const HELD_MS = 60_000;
/** How often a controller says that it still holds its task. ms */
const RENEWED_MS = 20_000;

/** A task that this controller has taken. */
export interface Hold {
  readonly name: TaskName;
  readonly holder: string;
}

/** Whether somebody is at it. */
export const isHeld = ({ holder, heldUntil }: Task, now: string): boolean => holder !== null && heldUntil !== null && heldUntil > now;

/**
 * Takes a task, if nobody holds it, on any controller of the network.
 * @param pause milliseconds that must have gone by since the task last ended well
 * @throws ApiError `RATE_LIMITED`; TypeError in a transaction of the host's, which the work would wait for and be waited for by
 */
export const take = (call: Call, name: TaskName, fields: Fields, pause = 0): Promise<Hold> => {
  if (call.isJoined) throw new TypeError('maintenance cannot be part of a transaction of the host');
  const holder = newId(call.core.platform.random);
  return call.write(async (entities) => {
    const now = call.now();
    const task = await entities.get(maintenanceTask, name);
    if (task && isHeld(task, now)) throw new ApiError('RATE_LIMITED', { retryAfter: RETRY_AFTER.busy });
    const toWait = task?.succeededAt ? Date.parse(task.succeededAt) + pause - Date.parse(now) : 0;
    if (toWait > 0) throw new ApiError('RATE_LIMITED', { retryAfter: Math.ceil(toWait / 1000) });
    const taken = { ...fields, holder, heldUntil: later(now), startedAt: call.core.stamp(), endedAt: null, error: null };
    if (task) await entities.update(maintenanceTask, task, taken);
    else await entities.insert(maintenanceTask, newRow(maintenanceTask, {}, { id: name, ...taken }));
    return { name, holder };
  });
};

/** What the work on a task may do while it goes on. */
export interface Holding {
  /** @throws when the controller closes, or another controller has taken the task over */
  assertHeld(): void;
  /** Notes down how far it has got, and that it is still held. @throws as `assertHeld` */
  note(fields: Fields): Promise<void>;
}

/**
 * Works on a task that was taken, and gives it back, whatever becomes of the work.
 * @param result what to note down at the end: the fields so far, and why it failed
 * @throws what `work` throws
 */
export const workOn = async <T>(
  job: Job,
  core: Core,
  { name, holder }: Hold,
  work: (holding: Holding) => Promise<T>,
  result: (failure: string | null) => Fields,
): Promise<T> => {
  let lost = false;
  const put = async (entities: Entities, fields: Partial<Task>) => {
    const task = await entities.get(maintenanceTask, name);
    if (task?.holder !== holder) {
      lost = true;
      throw new TaskLost(`${name} was taken over by another controller`);
    }
    await entities.update(maintenanceTask, task, fields);
  };
  const holding: Holding = {
    assertHeld: () => {
      job.signal.throwIfAborted();
      if (lost) throw new TaskLost(`${name} was taken over by another controller`);
    },
    note: (fields) => job.write((entities) => put(entities, { ...fields, heldUntil: later(nowOf(core)) })),
  };
  job.every(RENEWED_MS, () => holding.note({}));
  const end = (failure: string | null) =>
    job.conclude((entities) => put(entities, { ...result(failure), endedAt: core.stamp(), error: failure, holder: null, heldUntil: null }));
  try {
    const value = await work(holding);
    await end(null);
    return value;
  } catch (error) {
    await end(wordsOf(error)).catch((another) =>
      core.platform.logger.warn(`${name}: its end could not be noted down`, { error: String(another) }),
    );
    throw error;
  }
};

class TaskLost extends Error {
  override readonly name = 'TaskLost';
}

const nowOf = ({ platform }: Core): string => new Date(platform.clock.now()).toISOString();
const later = (now: string): string => new Date(Date.parse(now) + HELD_MS).toISOString();
const wordsOf = (error: unknown): string => {
  if (error instanceof ApiError && error.cause && 'message' in error.cause) return error.cause.message;
  return error instanceof Error ? error.message : String(error);
};
