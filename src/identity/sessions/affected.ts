/** Finds the sessions that a change may affect, through the policies that grant them, or through their identity, service or API session. */

import { decidingFields, differsIn } from '../../access/evaluation/deciding-fields.ts';
import { selecting } from '../../access/roles/membership.ts';
import type { KindName } from '../../contract/api/index.ts';
import { postureCheck, servicePolicy } from '../../contract/api/kinds.ts';
import type { Change } from '../../contract/changes/events.ts';
import { FOREVER } from '../../query/dates.ts';
import { dateField, equals, has, NONE, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

export interface Affected {
  /** Selects sessions that may have lost their grant. */
  readonly losing: Predicate;
  /** Selects sessions whose grant may now last longer. */
  readonly gaining: Predicate;
}

/** Affects no session. */
export const UNAFFECTED: Affected = { losing: NONE, gaining: NONE };

/** Selects sessions whose grant expires unless it is extended. */
const TIMED: Predicate = { op: 'compare', field: dateField('grantedUntil'), is: '<', value: new Date(FOREVER).toISOString() };

const POSTURE = 'postureCheckRoles';

/** True if a change may affect permissions, or if one of the additional fields differs. */
const isDeciding = (change: Change, ...additional: readonly string[]): boolean =>
  differsIn([...(decidingFields[change.entity] ?? []), ...additional], change);

/** Selects sessions whose grant may be lost or extended. A single review, as `losing`, covers both. */
const losingOrGaining = (losing: Predicate): Affected => ({ losing, gaining: NONE });

const whenReselected =
  (field: 'identityId' | 'serviceId') =>
  (_: Entities, change: Change): Affected =>
    change.action === 'update' && isDeciding(change) ? losingOrGaining(equals(stringField(field), change.entityId)) : UNAFFECTED;

/** Deletions of identities, services and API sessions are not handled here: they cascade to sessions through the field tables. */
const byKind: { readonly [K in KindName]?: (entities: Entities, change: Change) => Affected | Promise<Affected> } = {
  servicePolicy: (_, change) => {
    if (!isDeciding(change, POSTURE)) return UNAFFECTED;
    const { action, entityId } = change;
    return { losing: action === 'create' ? NONE : has('grantedBy', entityId), gaining: action === 'delete' ? NONE : TIMED };
  },
  identity: whenReselected('identityId'),
  service: whenReselected('serviceId'),
  // Adding a posture check makes a policy stricter; removing one makes it more lenient.
  postureCheck: async (entities, { action, entityId }) => {
    const check = await entities.get(postureCheck, entityId);
    if (!check) return { losing: NONE, gaining: TIMED };
    const policies = await entities.list(servicePolicy, { where: selecting(POSTURE, check) });
    const values = policies.map(({ id }) => id);
    return {
      losing: values.length === 0 ? NONE : { op: 'overlaps', set: 'grantedBy', values },
      gaining: action === 'create' ? NONE : TIMED,
    };
  },
  postureData: (_, { entityId }) => losingOrGaining(equals(stringField('identityId'), entityId)),
  apiSession: (_, { action, entityId }) =>
    action === 'update' ? losingOrGaining(equals(stringField('apiSessionId'), entityId)) : UNAFFECTED,
};

export const affectedBy = (entities: Entities, change: Change): Affected | Promise<Affected> =>
  byKind[change.entity]?.(entities, change) ?? UNAFFECTED;
