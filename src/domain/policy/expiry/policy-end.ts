import { identity, type servicePolicy } from '../../../api/kinds.ts';
import { idOfSelector, type RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { endedPolicy } from './end-grants.ts';

type Policy = RowOf<typeof servicePolicy>;

/**
 * The roles of a policy that is written. A policy that has ended selects no identity, whatever the body says, until its `validUntil` is changed or removed.
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` for a new end that is not in the future
 */
export const rolesUntilEnd = async (
  entities: Entities,
  after: Policy,
  before: Policy | undefined,
  now: string,
): Promise<Partial<Policy> | undefined> => {
  const hasEnded = typeof after.validUntil === 'string' && after.validUntil <= now;
  if (hasEnded && after.validUntil !== before?.validUntil)
    throw invalidField('validUntil', `validUntil must be later than now, ${now}`, after.validUntil);
  const ended = before?.endedIdentityRoles;
  // Clients that read a policy after its end write back an empty list.
  const given = after.identityRoles.length > 0 ? after.identityRoles : undefined;
  if (hasEnded) return endedPolicy(given ?? ended ?? []);
  return ended ? { identityRoles: given ?? (await existing(entities, ended)), endedIdentityRoles: null } : undefined;
};

/** The selectors without the ids of identities that were deleted after the end of the policy. */
const existing = async (entities: Entities, roles: readonly string[]): Promise<readonly string[]> => {
  const ids = roles.flatMap((role) => idOfSelector(role) ?? []);
  const rows = ids.length === 0 ? [] : await entities.list(identity, { where: oneOf(stringField('id'), ids) });
  const found = new Set(rows.map(({ id }) => id));
  return roles.filter((role) => found.has(idOfSelector(role) ?? '') || idOfSelector(role) === undefined);
};
