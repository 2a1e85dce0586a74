import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Change } from '../../contract/changes/events.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Call } from '../call.ts';
import { isLimited } from '../grant.ts';
import { EVERY_ENTITY, limitIn, textOfLimit } from '../limit.ts';
import { coveredIds, idsIn, isOnKind, limitOn, predicateOf } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import { ownerIn, ownersOf } from '../resources/owners.ts';
import { assertAttributesAllowed, assertEndsAllowed } from './attributes-within-grant.ts';

/**
 * Asserts that what a call has written stays within its grant, for the kinds that its right covers.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertWrittenWithin = async (entities: Entities, call: Call): Promise<void> => {
  const { grant } = call;
  if (!isLimited(grant) && !grant.roleAttributes) return;
  for (const kind of allKinds) {
    if (!isOnKind(grant.right, kind)) continue;
    const changes = entities.changes.filter(({ entity }) => entity === kind.kind);
    if (changes.length === 0) continue;
    await assertRowsWithin(entities, kind, changes, call);
    await assertOwnersWithin(entities, kind, changes, call);
    assertAttributesAllowed(kind, changes, call);
  }
};

/** No written entity may end up outside the filter. */
const assertRowsWithin = async (entities: Entities, kind: Kind, changes: readonly Change[], call: Call): Promise<void> => {
  const written = changes.filter(({ action }) => action !== 'delete').map(({ entityId }) => entityId);
  const rows = await entities.list(kind, { where: oneOf(stringField('id'), [...new Set(written)]) });
  const limit = limitOn(call.grant, kind);
  assertEndsAllowed(predicateOf(kind, limit), changes);
  if ((await coveredIds(entities, kind, rows, call)).size < rows.length)
    throw unauthorized(
      `this ${kind.kind} would be outside the scope that the host's rule allows${limit === EVERY_ENTITY ? '' : `: ${textOfLimit(limit)}`}`,
    );
};

/**
 * Changed and deleted entities must have belonged to owners that the caller may change. An owner that no longer exists was deleted in this
 * transaction.
 */
const assertOwnersWithin = async (entities: Entities, kind: Kind, changes: readonly Change[], call: Call): Promise<void> => {
  for (const owner of ownersOf(kind)) {
    const before = changes.flatMap(({ before }) => (before ? (ownerIn({ ...before }, owner) ?? []) : []));
    const owners = await entities.referenced(owner.target, 'id', [...new Set(before)]);
    const within = await idsIn(entities, owner.target, limitIn(call.grant.changeable, owner.target), owners, call);
    if (within.length < owners.length)
      throw unauthorized(`this ${kind.kind} belongs to an entity outside the scope that the host's rule allows`);
  }
};
