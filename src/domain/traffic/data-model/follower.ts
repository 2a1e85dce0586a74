import type { Change } from '../../../changes/events.ts';
import { createTurns } from '../../../concurrency/event-loop.ts';
import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { SentSet } from './change-sets.ts';
import { DataFeed, MissedChange } from './timeline.ts';

/** Changes that wait to be taken over; beyond, reading all anew takes less. */
const MOST_WAITING = 20_000;
/** Changes that are taken over before others have a turn. */
const CHANGES_AT_ONCE = 20;

/** Who is told of the data model. */
export interface Audience {
  /** All again: what was told before does not count. Called before any change of it. */
  begin(feed: DataFeed): Promise<void>;
  change(set: SentSet): void;
}

/** Follows the change log, as long as somebody wants it to. One thing is done at a time, so that all are told in the order of the log. */
export interface Following {
  /** Does something at the end of what has been announced so far. @throws what reading the store throws: nothing was done then */
  run(work?: (feed: DataFeed) => Promise<void>): Promise<void>;
  /** Forgets the model, unless `isNeeded`; it is read anew when somebody wants it. */
  rest(isNeeded: () => boolean): Promise<void>;
}

/** @param failed told of what went wrong with changes that nobody waits for */
export const followDataModel = (
  { core, events }: Pick<Fabric, 'core' | 'events'>,
  audience: Audience,
  failed: (error: unknown) => void,
): Following => {
  const turns = createSemaphore(1);
  let feed: DataFeed | undefined;
  /** Changes that are not taken over yet; undefined as long as nobody follows. */
  let waiting: Change[] | undefined;

  const open = async (): Promise<DataFeed> => {
    waiting = [];
    const opened = await DataFeed.open(core);
    await audience.begin(opened);
    return opened;
  };
  const takeOver = async (): Promise<DataFeed> => {
    const current = (feed ??= await open());
    const turn = createTurns(CHANGES_AT_ONCE);
    for (let next = waiting?.shift(); next; next = waiting?.shift()) {
      const set = current.apply(next);
      if (set) audience.change(set);
      await turn();
    }
    return current;
  };
  /** Where a change is missing, all is read anew. */
  const atTheEnd = (): Promise<DataFeed> =>
    takeOver().catch((error: unknown) => {
      feed = undefined;
      if (error instanceof MissedChange) return takeOver();
      throw error;
    });
  const run: Following['run'] = (work) =>
    turns.run(async () => {
      const current = await atTheEnd();
      await work?.(current);
    });

  events.on('change', (change) => {
    if (!waiting) return;
    // What is dropped here is found to be missing.
    if (waiting.length >= MOST_WAITING) waiting.length = 0;
    waiting.push(change);
    if (waiting.length === 1) run().catch(failed);
  });
  return {
    run,
    rest: (isNeeded) =>
      turns.run(async () => {
        if (!isNeeded()) [feed, waiting] = [undefined, undefined];
      }),
  };
};
