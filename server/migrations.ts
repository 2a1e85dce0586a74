import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, StorageAdapter } from '../src/index.ts';
import { type ChosenStorage, prepareKept, prepareStorage } from './storage.ts';
import type { StorageChoice } from './storage-option.ts';

/** The store of a server that may have to wait until another process has run the migrations. */
export interface MigrationGate extends ChosenStorage {
  /** Read access to the network during the wait. */
  readonly reading: StorageAdapter;
  /** The migrations that must run first, as `number-name`. */
  pending(): readonly string[];
  /** Resolves once no migration is pending. */
  readonly passed: Promise<void>;
}

/** Interval at which a waiting server checks for pending migrations, in ms. */
const POLL_MS = 1000;

/**
 * @param waits true if another process runs the migrations. If the database is empty, the returned promise resolves once it has tables.
 * Pending migrations of an existing database are awaited by `passed` instead, so that the server can already listen
 * @throws StartFailure if the database cannot be written, or its driver is not installed
 */
export const createMigrationGate = async (storage: StorageChoice, waits: boolean, messages: Logger): Promise<MigrationGate> => {
  if (!waits || storage.is === 'memory') {
    const chosen = await prepareStorage(storage);
    return { ...chosen, reading: chosen.adapter, pending: () => [], passed: Promise.resolve() };
  }
  const { adapter, name } = await prepareKept(storage, { migrate: false });
  let pending: readonly string[] = [];
  const checkPending = async () => {
    const plan = await adapter.plan();
    const needed = plan.pending.filter(({ canWait }) => !canWait).map(({ version, name }) => `${version}-${name}`);
    if (needed.length > 0 && needed.join() !== pending.join())
      messages.info(`waiting for these migrations, which the command migrate runs: ${needed.join(', ')}`);
    pending = needed;
    return plan.version;
  };
  while ((await checkPending()) === 0) await pause(POLL_MS);
  const passed = async () => {
    while (pending.length > 0) {
      await pause(POLL_MS);
      await checkPending();
    }
  };
  if (pending.length === 0) return { adapter, name, reading: adapter, pending: () => pending, passed: Promise.resolve() };
  const { adapter: reading } = await prepareKept(storage, { readOnly: true });
  return { adapter, name, reading, pending: () => pending, passed: passed() };
};
