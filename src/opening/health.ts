import { StoreSchemaMismatch } from '../storage/errors.ts';
import type { Store } from '../storage/port.ts';

/** The health of a controller. */
export interface Health {
  readonly isHealthy: boolean;
  /** `away`: the database does not answer; `superseded`: a newer release has migrated it, and this process cannot write until it is upgraded. */
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
