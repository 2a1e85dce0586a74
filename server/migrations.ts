import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, StorageAdapter } from '../src/index.ts';
import { type ChosenStorage, prepareKept, prepareStorage } from './storage.ts';
import type { StorageChoice } from './storage-option.ts';

/** The store of a server, which others may have to migrate first. */
export interface Gate extends ChosenStorage {
  /** What is read of the network while it is waited for. */
  readonly reading: StorageAdapter;
  /** The migrations that are waited for, by number and name; empty where none are. */
  pending(): readonly string[];
  /** Resolves once there are none. */
  readonly passed: Promise<void>;
}

/** How often a server looks whether others have migrated its database. ms */
const LOOK_MS = 1000;

/**
 * @param waits whether others run the migrations: an empty database is waited for here, one of an earlier release while the server listens already
 * @throws StartFailure when the database cannot be written, or its driver is not installed
 */
export const migrationGate = async (storage: StorageChoice, waits: boolean, messages: Logger): Promise<Gate> => {
  if (!waits || storage.is === 'memory') {
    const chosen = await prepareStorage(storage);
    return { ...chosen, reading: chosen.adapter, pending: () => [], passed: Promise.resolve() };
  }
  const { adapter, name } = await prepareKept(storage, { migrate: false });
  let pending: readonly string[] = [];
  const look = async () => {
    const plan = await adapter.plan();
    const needed = plan.pending.filter(({ canWait }) => !canWait).map(({ version, name }) => `${version}-${name}`);
    if (needed.length > 0 && needed.join() !== pending.join())
      messages.info(`waiting until these migrations were run, as the command migrate does: ${needed.join(', ')}`);
    pending = needed;
    return plan.version;
  };
  while ((await look()) === 0) await pause(LOOK_MS);
  const passed = async () => {
    while (pending.length > 0) {
      await pause(LOOK_MS);
      await look();
    }
  };
  if (pending.length === 0) return { adapter, name, reading: adapter, pending: () => pending, passed: Promise.resolve() };
  const { adapter: reading } = await prepareKept(storage, { readOnly: true });
  return { adapter, name, reading, pending: () => pending, passed: passed() };
};
