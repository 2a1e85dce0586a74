import { createSemaphore } from '../../src/runtime/concurrency/semaphore.ts';
import type { Logger } from '../../src/runtime/platform/platform.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { createListeners } from '../../src/store/changelog/listeners.ts';
import { createPublisher } from '../../src/store/changelog/publisher.ts';
import { createWriter } from '../../src/store/entities/writer.ts';
import { type Background, createBackground, type Job } from '../../src/store/jobs/background.ts';
import { acquireLease, type Lease } from '../../src/store/jobs/lease.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import type { TestClock } from './clock.ts';
import type { SharedStorage } from './stores.ts';

export const MINUTE = 60_000;
const ORIGIN = { actor: 'system', requestId: 'test' };

/** What of a controller works in the background, on a store that others share. */
export interface Worker extends AsyncDisposable {
  readonly background: Background;
  readonly platform: ReturnType<typeof webPlatform>;
  readonly log: readonly string[];
  /** Transactions that are under way. */
  readonly running: () => number;
  /** A job that stays open until the worker is closed or lost. */
  job(): Promise<Job>;
  acquire(name: string): Promise<Lease | undefined>;
  /** The process is gone: nothing of it runs any more, and nothing was given back. */
  lose(): Promise<void>;
}

export const openWorker = async (shared: SharedStorage, clock: TestClock, changesKept = 1000): Promise<Worker> => {
  const log: string[] = [];
  const note = (message: string, details?: object) => void log.push(`${message} ${JSON.stringify(details)}`);
  const logger: Logger = { error: note, warn: note, info: note };
  let isLost = false;
  // Timers of a process that is gone do not fire.
  const own = { now: clock.now, after: (milliseconds: number, task: () => void) => clock.after(milliseconds, () => isLost || task()) };
  const platform = webPlatform({ clock: own, logger });
  const store = await shared.adapter().open(storageSchema);
  const { transaction } = store;
  let running = 0;
  store.transaction = (...given) => {
    running++;
    return transaction.apply(store, given).finally(() => running--) as never; // the result is the transaction's own
  };
  const publisher = await createPublisher(store, createListeners(logger), logger);
  const aroundWrite = async <T, E>(entities: E, work: (entities: E) => Promise<T>) => ({
    result: await work(entities),
    isUnfinished: false,
  });
  const write = createWriter({
    store,
    cache: createReadCache(1_000_000),
    publisher,
    semaphore: createSemaphore(4, 100),
    hooks: { aroundWrite, afterCommit: () => undefined },
  });
  const stamp = () => new Date(clock.now()).toISOString();
  const common = { random: platform.random, stamp, changesKept, changeBytesKept: Number.MAX_SAFE_INTEGER };
  const background = createBackground({ store, clock: platform.clock, write, common });
  const job = () =>
    new Promise<Job>((resolve, reject) => {
      const over = background.run(ORIGIN, (job) => {
        resolve(job);
        return new Promise<void>((end) => job.signal.addEventListener('abort', () => end()));
      });
      over.catch(reject);
    });
  const close = async () => {
    await background.close();
    await store.close();
  };
  return {
    background,
    platform,
    log,
    running: () => running,
    job,
    acquire: async (name) => (await acquireLease(await job(), platform, name, MINUTE)).lease,
    lose: async () => {
      isLost = true;
      await close();
    },
    [Symbol.asyncDispose]: async () => void (isLost || (await close())),
  };
};
