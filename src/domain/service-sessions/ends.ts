/**
 * Ends of sessions whose right is lost, in the transaction of the change that takes it. It is one step after every write, and no matter of those who
 * write. Only sessions that live by what has changed are looked at: found by the policy that lets them in, their identity, service or API session.
 */
import type { KindName } from '../../api/index.ts';
import { servicePolicy } from '../../api/policies.ts';
import { postureCheck } from '../../api/posture-checks/index.ts';
import { session } from '../../api/service-sessions.ts';
import type { Entities } from '../../changes/entities.ts';
import type { Change } from '../../changes/events.ts';
import { and, date, equals, has, NONE, or, type Predicate, text } from '../../query/index.ts';
import { selecting } from '../roles/membership.ts';
import { isSameJson } from '../same-json.ts';
import { type Grant, grantsOf, isLapsed, type Session } from './grants.ts';

/** Sessions that are looked at together. */
const BATCH = 500;

type Affected = (entities: Entities, change: Change) => Predicate | Promise<Predicate>;

const SELECTION = ['type', 'semantic', 'identityRoles', 'serviceRoles', 'postureCheckRoles'];

const differs = ({ before, after }: Change, fields: readonly string[]): boolean =>
  fields.some((field) => !isSameJson(before?.[field], after?.[field]));

const whenReselected =
  (field: 'identityId' | 'serviceId'): Affected =>
  (_, change) =>
    change.action === 'update' && differs(change, ['roleAttributes']) ? equals(text(field), change.entityId) : NONE;

/** The sessions that could lose their right by a change of a kind. What goes with an entity that is deleted, the field tables say. */
const affected: { readonly [K in KindName]?: Affected } = {
  servicePolicy: (_, change) => (change.action !== 'create' && differs(change, SELECTION) ? has('grantedBy', change.entityId) : NONE),
  identity: whenReselected('identityId'),
  service: whenReselected('serviceId'),
  // A check that is new to a policy makes it stricter; one that is gone does not.
  postureCheck: async (entities, { action, entityId }) => {
    const check = action === 'delete' ? undefined : await entities.get(postureCheck, entityId);
    if (!check) return NONE;
    const policies = await entities.list(servicePolicy, { where: selecting('postureCheckRoles', check) });
    return policies.length === 0 ? NONE : { op: 'overlaps', set: 'grantedBy', values: policies.map(({ id }) => id) };
  },
  postureData: (_, { entityId }) => equals(text('identityId'), entityId),
  apiSession: (_, { action, entityId }) => (action === 'update' ? equals(text('apiSessionId'), entityId) : NONE),
};

/** Looks again at the sessions that some changes of this transaction are about. */
export const endLostSessions = async (entities: Entities, changes: readonly Change[], now: string): Promise<void> => {
  const touched: Predicate[] = [];
  for (const change of changes) touched.push((await affected[change.entity]?.(entities, change)) ?? NONE);
  const where = or(...touched);
  if (where.op === 'none') return;
  for (let last = '', more = true; more; ) {
    const beyond: Predicate = { op: 'compare', field: text('id'), is: '>', value: last };
    const rows = await entities.list(session, { where: and(where, beyond), limit: BATCH });
    await lookAgain(entities, rows, now);
    last = rows.at(-1)?.id ?? last;
    more = rows.length === BATCH;
  }
};

/** Ends those that lost their right, and notes by what the others live now. */
export const lookAgain = async (entities: Entities, sessions: readonly Session[], now: string): Promise<void> => {
  if (sessions.length === 0) return;
  for (const [row, grant] of await grantsOf(entities, sessions, now)) {
    if (!grant) await entities.remove(session, row);
    else if (!isSameGrant(row, grant)) await entities.update(session, row, grant);
  }
};

const isSameGrant = (row: Session, { grantedBy, grantedUntil }: Grant): boolean =>
  row.grantedUntil === grantedUntil && isSameJson(row.grantedBy, grantedBy);

const SOME = 10;

/** Sessions whose time is over: nobody sees them any more. Each new session tidies a few, so that none pile up. */
export const tidyLapsed = async (entities: Entities, now: string): Promise<void> =>
  lookAgain(entities, await lapsed(entities, { op: 'all' }, now, SOME), now);

export const lapsed = async (entities: Entities, within: Predicate, now: string, most: number): Promise<readonly Session[]> => {
  const over: Predicate = { op: 'compare', field: date('grantedUntil'), is: '<', value: now };
  const rows = await entities.list(session, {
    where: and(over, within),
    sort: [{ field: date('grantedUntil'), descending: false }],
    limit: most,
  });
  return rows.filter((row) => isLapsed(row, now));
};
