import type { Change } from '../../contract/changes/events.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { ModelPosition } from '../../runtime/presence/traffic.ts';
import type { Fabric } from '../registry/fabric.ts';
import { MissedChange, type ModelChangeSet, ModelTimeline } from './timeline.ts';

/** Maximum number of queued changes. Beyond that, it is faster to read the model again. */
const MAX_QUEUED = 20_000;
/** Number of changes applied before yielding to the event loop. */
const BATCH = 20;

/** Publishes the data model. */
export interface ModelPublisher {
  /** Begins a new timeline, whose full state replaces everything published before. */
  reset(timeline: ModelTimeline): Promise<void>;
  publish(set: ModelChangeSet): Promise<void>;
}

/**
 * Follows the change log while routers are subscribed. Tasks run one at a time, so that all routers get changes in the order of the log.
 */
export interface ModelFollower {
  /**
   * Runs a task once all changes so far are applied.
   * @throws errors of the store, in which case the task did not run
   */
  run(task?: (timeline: ModelTimeline) => Promise<void>): Promise<void>;
  /** The position of the model; undefined while it is not needed. */
  position(): ModelPosition | undefined;
  /** Frees the model, unless `isNeeded` returns true. The next task reads it again. */
  stop(isNeeded: () => boolean): Promise<void>;
}

/** @param onError called with errors of changes that were applied without a task */
export const followDataModel = (
  { core, events }: Pick<Fabric, 'core' | 'events'>,
  publisher: ModelPublisher,
  onError: (error: unknown) => void,
): ModelFollower => {
  const mutex = createSemaphore(1);
  let timeline: ModelTimeline | undefined;
  /** Changes that are not yet applied; undefined while stopped. */
  let queue: Change[] | undefined;

  const open = async (): Promise<ModelTimeline> => {
    queue = [];
    const opened = await ModelTimeline.open(core);
    await publisher.reset(opened);
    return opened;
  };
  const applyQueue = async (): Promise<ModelTimeline> => {
    const current = (timeline ??= await open());
    const yieldAfterBatch = createTimeSlice(BATCH);
    for (let next = queue?.shift(); next; next = queue?.shift()) {
      const set = await current.apply(next);
      if (set) await publisher.publish(set);
      await yieldAfterBatch();
    }
    return current;
  };
  const applyOrReload = (): Promise<ModelTimeline> =>
    applyQueue().catch((error: unknown) => {
      timeline = undefined;
      if (error instanceof MissedChange) return applyQueue();
      throw error;
    });
  const run: ModelFollower['run'] = (task) =>
    mutex.run(async () => {
      const current = await applyOrReload();
      await task?.(current);
    });

  events.on('change', (change) => {
    if (!queue) return;
    // Dropped changes are detected as missing, and the model is read again.
    if (queue.length >= MAX_QUEUED) queue.length = 0;
    queue.push(change);
    if (queue.length === 1) run().catch(onError);
  });
  return {
    run,
    position: () => timeline?.position,
    stop: (isNeeded) =>
      mutex.run(async () => {
        if (!isNeeded()) [timeline, queue] = [undefined, undefined];
      }),
  };
};
