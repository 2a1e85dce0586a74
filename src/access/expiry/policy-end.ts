import { identity, type servicePolicy } from '../../contract/api/kinds.ts';
import { idOfSelector, type RowOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { endedPolicy } from './end-grants.ts';

type Policy = RowOf<typeof servicePolicy>;

/**
 * The identity roles to store for a written policy. A policy that has ended selects no identities, regardless of the body, until its
 * `validUntil` is changed or removed.
 * @param now ISO text
 * @returns undefined if the roles of the body are stored
 * @throws ApiError `COULD_NOT_VALIDATE` for a new end that is not in the future
 */
export const reconcilePolicyEnd = async (
  entities: Entities,
  after: Policy,
  before: Policy | undefined,
  now: string,
): Promise<Partial<Policy> | undefined> => {
  const hasEnded = typeof after.validUntil === 'string' && after.validUntil <= now;
  if (hasEnded && after.validUntil !== before?.validUntil)
    throw invalidField('validUntil', `validUntil must be later than now, ${now}`, after.validUntil);
  const ended = before?.endedIdentityRoles;
  // A client that read the policy after its end writes an empty list back.
  const roles = after.identityRoles.length > 0 ? after.identityRoles : undefined;
  if (hasEnded) return endedPolicy(roles ?? ended ?? []);
  return ended ? { identityRoles: roles ?? (await withoutDeleted(entities, ended)), endedIdentityRoles: null } : undefined;
};

/** The selectors, without ids of identities that were deleted after the policy ended. */
const withoutDeleted = async (entities: Entities, roles: readonly string[]): Promise<readonly string[]> => {
  const ids = roles.flatMap((role) => idOfSelector(role) ?? []);
  const rows = ids.length === 0 ? [] : await entities.list(identity, { where: oneOf(stringField('id'), ids) });
  const found = new Set(rows.map(({ id }) => id));
  return roles.filter((role) => found.has(idOfSelector(role) ?? '') || idOfSelector(role) === undefined);
};
