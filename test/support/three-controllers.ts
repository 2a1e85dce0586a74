import { type App, type OpenOptions, openApp } from './app.ts';
import { newSharedStorage, type SharedStorage } from './stores.ts';

/** Three controllers on one store, each with connections of its own. */
export const three = async (store: string, options: OpenOptions = {}, shared: SharedStorage = newSharedStorage(store)) => {
  const { secretKey } = shared.adapter();
  const open = () => openApp(store, { ...options, storage: shared.adapter(), ...(secretKey ? { secretKey } : {}) });
  const apps: readonly [App, App, App] = [await open(), await open(), await open()];
  return {
    apps,
    [Symbol.asyncDispose]: async () => {
      for (const app of apps) await app.close();
      await shared[Symbol.asyncDispose]();
    },
  };
};
