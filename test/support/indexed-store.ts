/** A store whose transactions read through a cache with role indexes, without a controller. */
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { type Entities, entitiesOf } from '../../src/store/entities/entities.ts';
import { createRoleIndexes } from '../../src/store/indexes/role-indexes.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import type { Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { newStorage } from './stores.ts';

const MAX_BYTES = 1_000_000;

export const indexedStore = async (name: string) => {
  const store = await newStorage(name).open(storageSchema);
  const { random, clock, logger } = webPlatform();
  let scanning: Promise<void> = Promise.resolve();
  const inBackground = (work: (tx: Transaction, signal: AbortSignal) => Promise<void>): Promise<void> => {
    const scan = store.transaction('read', (tx) => work(tx, new AbortController().signal));
    scanning = Promise.all([scanning, scan]).then(() => undefined);
    return scan;
  };
  const indexes = createRoleIndexes(inBackground, MAX_BYTES, logger);
  const cache = createReadCache(MAX_BYTES, { indexes });
  const stamp = () => new Date(clock.now()).toISOString();
  const context = { actor: 'test', requestId: 'test', random, stamp, changesKept: 100_000, changeBytesKept: Number.MAX_SAFE_INTEGER };
  return {
    /** Writes once the indexes have followed all earlier writes. */
    write: async <T>(work: (entities: Entities) => Promise<T>): Promise<T> => {
      await scanning;
      await indexes.warmUp(() => undefined);
      return store.transaction('write', (tx) => work(entitiesOf(tx, context, cache.writing)));
    },
    [Symbol.asyncDispose]: async () => {
      await scanning;
      await store.close();
    },
  };
};
