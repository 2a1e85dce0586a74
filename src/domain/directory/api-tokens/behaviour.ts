import { apiToken, identity } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { permissionBeyond } from '../../../api/permissions.ts';
import { hasAdministratorRights, isAdministrator, rightsHeldBy } from '../../../call/actor.ts';
import { behaviour } from '../../../call/behaviour.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { administratorsOnly, invalidField } from '../../../errors/index.ts';
import { addressesIn } from '../../../platform/addresses.ts';
import { DAY, isoTime } from '../../../platform/clock.ts';
import { equals, stringField } from '../../../query/index.ts';

type Token = RowOf<typeof apiToken>;
type NewToken = Pick<Token, 'identityId' | 'isAdmin' | 'permissions' | 'scopedPermissions' | 'addressRanges' | 'expiresAt'>;
type TokenRights = Pick<Token, 'isAdmin' | 'permissions' | 'scopedPermissions'>;
type Holder = Parameters<typeof rightsHeldBy>[0] & Parameters<typeof hasAdministratorRights>[0];

/** Maximum number of tokens of one identity, expired ones included. */
const MAX_TOKENS = 100;

export const apiTokenBehaviour = behaviour(apiToken, {
  check: async (_entities, after, before, call) => {
    checkRanges(after.addressRanges);
    if (before?.expiresAt === after.expiresAt) return undefined;
    checkExpiry(after.expiresAt, call);
    return { expiryAnnouncedAt: null };
  },
});

/**
 * Checks a new token: it must not have a right that its creator lacks, nor one that its identity lacks, which would never count.
 * @throws ApiError `UNAUTHORIZED`, `NOT_FOUND` or `COULD_NOT_VALIDATE`
 */
export const checkNewToken = async (entities: Entities, token: NewToken, call: Call): Promise<void> => {
  checkRanges(token.addressRanges);
  checkExpiry(token.expiresAt, call);
  const owner = await entities.require(identity, token.identityId);
  assertHeldByCaller(token, call);
  const right = rightBeyond(owner, token);
  if (right === 'isAdmin') throw invalidField('isAdmin', `identity ${owner.id} is not an administrator`, true);
  if (right !== undefined) throw invalidField('permissions', `identity ${owner.id} does not have the permission ${right}`, right);
  if ((await entities.count(apiToken, equals(stringField('identityId'), owner.id))) >= MAX_TOKENS)
    throw invalidField(
      'identityId',
      `identity ${owner.id} has ${MAX_TOKENS} API tokens: delete those that are not used any more`,
      owner.id,
    );
};

/**
 * Asserts that the caller has every right of a token, whose secret the answer will contain. The identity of the token may have lost some, but can get them back.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertHeldByCaller = (token: TokenRights, { actor, grant }: Pick<Call, 'actor' | 'grant'>): void => {
  if (!grant.isDelegated && isAdministrator(actor)) return;
  const right = rightBeyond('identity' in actor ? actor.identity : NO_RIGHTS, token);
  if (right !== undefined) throw administratorsOnly(`the caller lacks the right ${right}, and cannot give it to an API token`);
};

const NO_RIGHTS: Holder = { isAdmin: false, isDefaultAdmin: false, permissions: [], scopedPermissions: null };

const rightBeyond = (holder: Holder, token: TokenRights): string | undefined => {
  if (hasAdministratorRights(holder)) return undefined;
  return token.isAdmin ? 'isAdmin' : permissionBeyond(rightsHeldBy(holder), rightsHeldBy(token));
};

const checkExpiry = (expiresAt: string, call: Call): void => {
  const days = call.core.settings.maxApiTokenDays;
  const latest = isoTime(Date.parse(call.now()) + days * DAY);
  if (expiresAt <= call.now() || expiresAt > latest)
    throw invalidField('expiresAt', `must be in the future, and at most ${days} days ahead: ${latest}`, expiresAt);
};

const checkRanges = (ranges: readonly string[]): void => {
  for (const range of ranges) {
    // Callers from mapped addresses count as IPv4 callers, so such a range would accept none.
    if (/^::ffff:/i.test(range))
      throw invalidField('addressRanges', 'must hold IPv4 addresses in their own form, such as 10.0.0.0/8', range);
    try {
      addressesIn([range]);
    } catch {
      throw invalidField('addressRanges', 'must hold addresses, or ranges in CIDR notation such as 10.0.0.0/8 or 2001:db8::/32', range);
    }
  }
};
