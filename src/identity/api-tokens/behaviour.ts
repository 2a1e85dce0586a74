import { hasAdministratorRights, isAdministrator, rightsHeldBy } from '../../call/actor.ts';
import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import { firstMissing } from '../../contract/api/held-permissions.ts';
import { apiToken, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { administratorsOnly, invalidField } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import { addressesIn } from '../../runtime/platform/addresses.ts';
import { DAY, isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Token = RowOf<typeof apiToken>;
type NewToken = Pick<Token, 'identityId' | 'isAdmin' | 'permissions' | 'scopedPermissions' | 'addressRanges' | 'expiresAt'>;
type TokenRights = Pick<Token, 'isAdmin' | 'permissions' | 'scopedPermissions'>;
type Holder = Pick<RowOf<typeof identity>, 'isAdmin' | 'isDefaultAdmin' | 'permissions' | 'scopedPermissions'>;

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
 * Checks a new token. Both its creator and its identity must have all of its rights.
 * @throws ApiError `UNAUTHORIZED`, `NOT_FOUND` or `COULD_NOT_VALIDATE`
 */
export const checkNewToken = async (entities: Entities, token: NewToken, call: Call): Promise<void> => {
  checkRanges(token.addressRanges);
  checkExpiry(token.expiresAt, call);
  const owner = await entities.require(identity, token.identityId);
  assertHeldByCaller(token, call);
  const right = missingRight(owner, token);
  if (right === 'isAdmin') throw invalidField('isAdmin', `identity ${owner.id} is not an administrator`, true);
  if (right !== undefined) throw invalidField('permissions', `identity ${owner.id} does not have the permission ${right}`, right);
  if ((await entities.count(apiToken, equals(stringField('identityId'), owner.id))) >= MAX_TOKENS)
    throw invalidField('identityId', `identity ${owner.id} has ${MAX_TOKENS} API tokens, the maximum: delete unused ones first`, owner.id);
};

/**
 * Asserts that the caller has all rights of a token, because the answer will contain its secret. Includes rights that the identity of the
 * token has lost, because it may regain them.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertHeldByCaller = (token: TokenRights, { actor, grant }: Pick<Call, 'actor' | 'grant'>): void => {
  if (!grant.isDelegated && isAdministrator(actor)) return;
  const right = missingRight('identity' in actor ? actor.identity : NO_RIGHTS, token);
  if (right !== undefined) throw administratorsOnly(`the caller lacks the right ${right}, and cannot give it to an API token`);
};

const NO_RIGHTS: Holder = { isAdmin: false, isDefaultAdmin: false, permissions: [], scopedPermissions: null };

const missingRight = (holder: Holder, token: TokenRights): string | undefined => {
  if (hasAdministratorRights(holder)) return undefined;
  return token.isAdmin ? 'isAdmin' : firstMissing(rightsHeldBy(holder), rightsHeldBy(token));
};

const checkExpiry = (expiresAt: string, call: Call): void => {
  const days = call.core.settings.maxApiTokenDays;
  const latest = isoTime(Date.parse(call.now()) + days * DAY);
  if (expiresAt <= call.now() || expiresAt > latest)
    throw invalidField('expiresAt', `must be in the future, and at most ${days} days ahead: ${latest}`, expiresAt);
};

const checkRanges = (ranges: readonly string[]): void => {
  for (const range of ranges) {
    // Callers from IPv4-mapped addresses are treated as IPv4 callers, so such a range would match none.
    if (/^::ffff:/i.test(range))
      throw invalidField('addressRanges', 'must contain IPv4 addresses in dotted notation, such as 10.0.0.0/8', range);
    try {
      addressesIn([range]);
    } catch {
      throw invalidField('addressRanges', 'must contain addresses, or ranges in CIDR notation such as 10.0.0.0/8 or 2001:db8::/32', range);
    }
  }
};
