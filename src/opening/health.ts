import { StoreSchemaMismatch } from '../storage/errors.ts';
import type { Store } from '../storage/port.ts';

/** What a controller says of itself. */
export interface Health {
  readonly isHealthy: boolean;
  /** What is the matter: `away`, the database does not answer; `superseded`, a newer release has migrated it, and this process writes no more until it is replaced. */
  readonly store: 'ready' | 'away' | 'superseded';
}

export const healthOf = async (store: Store): Promise<Health> => {
  try {
    await store.check?.();
    return { isHealthy: true, store: 'ready' };
  } catch (error) {
    return { isHealthy: false, store: error instanceof StoreSchemaMismatch ? 'superseded' : 'away' };
  }
};
