/** Finds the sessions that a change may affect, through the policies that grant them, or through their identity, service or API session. */
import type { KindName } from '../../../api/index.ts';
import { postureCheck, servicePolicy } from '../../../api/kinds.ts';
import type { Change } from '../../../changelog/events.ts';
import type { Entities } from '../../../entities/entities.ts';
import { FOREVER } from '../../../query/dates.ts';
import { dateField, equals, has, NONE, type Predicate, stringField } from '../../../query/index.ts';
import { decidingFields, differsIn } from '../../policy/access/deciding-fields.ts';
import { selecting } from '../../policy/roles/membership.ts';

export interface Affected {
  /** Selects sessions that may have lost their grant. */
  readonly losing: Predicate;
  /** Selects sessions whose grant may now last longer. */
  readonly gaining: Predicate;
}

const UNAFFECTED: Affected = { losing: NONE, gaining: NONE };

/** Selects sessions whose grant expires unless it is extended. */
const TIMED: Predicate = { op: 'compare', field: dateField('grantedUntil'), is: '<', value: new Date(FOREVER).toISOString() };

const POSTURE = 'postureCheckRoles';

const decides = (change: Change, ...more: readonly string[]): boolean =>
  differsIn([...(decidingFields[change.entity] ?? []), ...more], change);

/** Selects sessions whose grant may be lost or extended. A single review, as `losing`, covers both. */
const both = (losing: Predicate): Affected => ({ losing, gaining: NONE });

const whenReselected =
  (field: 'identityId' | 'serviceId') =>
  (_: Entities, change: Change): Affected =>
    change.action === 'update' && decides(change) ? both(equals(stringField(field), change.entityId)) : UNAFFECTED;

/** Deletions of identities, services and API sessions are not handled here: they cascade to sessions through the field tables. */
const byKind: { readonly [K in KindName]?: (entities: Entities, change: Change) => Affected | Promise<Affected> } = {
  servicePolicy: (_, change) => {
    if (!decides(change, POSTURE)) return UNAFFECTED;
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
  postureData: (_, { entityId }) => both(equals(stringField('identityId'), entityId)),
  apiSession: (_, { action, entityId }) => (action === 'update' ? both(equals(stringField('apiSessionId'), entityId)) : UNAFFECTED),
};

export const affectedBy = (entities: Entities, change: Change): Affected | Promise<Affected> =>
  byKind[change.entity]?.(entities, change) ?? UNAFFECTED;
