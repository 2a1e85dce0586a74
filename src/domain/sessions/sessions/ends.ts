/** Ends of sessions: of those that lost their right, and of those whose time is over. */
import { session } from '../../../api/sessions.ts';
import type { Entities } from '../../../entities/entities.ts';
import { dateField } from '../../../query/index.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { grantsOf, isLapsed, type SessionGrant, type StoredSession } from './grants.ts';

/** Ends those that lost their right, and notes by what the others live now. What has ended with its time does not come back. */
export const refreshGrants = async (entities: Entities, sessions: readonly StoredSession[], now: string): Promise<void> => {
  if (sessions.length === 0) return;
  for (const [row, grant] of await grantsOf(entities, sessions, now)) {
    if (!grant || isLapsed(row, now)) await entities.remove(session, row);
    else if (!isSameGrant(row, grant)) await entities.update(session, row, grant);
  }
};

const isSameGrant = (row: StoredSession, { grantedBy, grantedUntil }: SessionGrant): boolean =>
  row.grantedUntil === grantedUntil && isSameJson(row.grantedBy, grantedBy);

const SOME = 10;

/** Removes some lapsed sessions, which are no longer visible. Called for each new session, so that they do not accumulate. */
export const tidyLapsed = async (entities: Entities, now: string): Promise<void> => {
  const grantedUntil = dateField('grantedUntil');
  const over = await entities.list(session, {
    where: { op: 'compare', field: grantedUntil, is: '<', value: now },
    sort: [{ field: grantedUntil, descending: false }],
    limit: SOME,
  });
  for (const row of over) await entities.remove(session, row);
};
