import { createReadCache } from '../../../src/store/read-cache/read-cache.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { openApp } from '../app.ts';
import { newSharedStorage } from '../stores.ts';

/** A network with two users, and beside it, on the same store, a read cache that follows what the network writes. */
export const openBesideReadCache = async (name: Parameters<typeof newSharedStorage>[0], maxBytes = 1_000_000) => {
  const shared = newSharedStorage(name);
  const app = await openApp(name, { storage: shared.adapter() });
  const store = await shared.adapter().open(storageSchema);
  const [ann, bob] = [await app.user(), await app.user()];
  return {
    app,
    store,
    cache: createReadCache(maxBytes),
    ann,
    bob,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await app.close();
      await shared[Symbol.asyncDispose]();
    },
  };
};
