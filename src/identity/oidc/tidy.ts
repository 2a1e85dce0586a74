import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import { apiSession, authRequest, revocation } from '../../contract/api/kinds.ts';
import { dateField, type Predicate } from '../../query/index.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import type { Run } from '../../store/jobs/schedule.ts';

/** Maximum number of rows of a kind that one transaction removes. */
const BATCH_SIZE = 100;

const before = (field: string, now: string): Predicate => ({ op: 'compare', field: dateField(field), is: '<=', value: now });

/** Removes abandoned logins, sessions whose last token has expired, and expired revocations. */
export const tidyProvider = async ({ write, signal }: Run, clock: Clock): Promise<void> => {
  const now = new Date(clock.now()).toISOString();
  for (let hasMore = true; hasMore && !signal.aborted; ) {
    hasMore = await write(async (entities) => {
      const requests = await entities.list(authRequest, { where: before('endsAt', now), limit: BATCH_SIZE });
      for (const row of requests) await entities.remove(authRequest, row);
      const sessions = await entities.list(apiSession, { where: before('endsAt', now), limit: BATCH_SIZE });
      await endApiSessions(entities, sessions);
      const revocations = await entities.list(revocation, { where: before('expiresAt', now), limit: BATCH_SIZE });
      for (const row of revocations) await entities.remove(revocation, row);
      return [requests, sessions, revocations].some(({ length }) => length === BATCH_SIZE);
    });
  }
};
