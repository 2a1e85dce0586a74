import { unavailable } from '../errors/index.ts';
import { GrantHasEnded } from '../read-cache/earliest-ends.ts';
import type { Store } from '../storage/port.ts';

/** The attribution of changes that take ended grants out of effect, and of those that announce an end. */
export const EXPIRED = { actor: 'system', requestId: 'grants', reason: 'expired' } as const;
export const EXPIRING = { ...EXPIRED, reason: 'expiring' } as const;

/** Maximum number of attempts, each of which finds that another grant has ended. */
const MAX_ATTEMPTS = 20;

/**
 * A store whose cached transactions see no grant that has ended: before one that would see it decides anything, it is rolled back, the grant is taken out of
 * effect, and the transaction runs again. So a grant ends at its time even if no job runs.
 * @param settle takes the ended grants out of effect. If it rejects, so does the transaction
 */
export const settledStore = (store: Store, settle: () => Promise<void>): Store => ({
  transaction: async (mode, work, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await store.transaction(mode, work, options);
      } catch (error) {
        if (!(error instanceof GrantHasEnded)) throw error;
      }
      if (attempt === MAX_ATTEMPTS) throw unavailable('too many grants are ending at this moment');
      options?.signal?.throwIfAborted();
      await settle();
    }
  },
  join: (host) => store.join(host),
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});
