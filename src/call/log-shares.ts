import { apiSession, identity } from '../contract/api/kinds.ts';
import { ApiError } from '../contract/errors/index.ts';
import { boundedCache } from '../runtime/platform/bounded-cache.ts';
import { HOUR, monotonic } from '../runtime/platform/clock.ts';
import type { Clock } from '../runtime/platform/platform.ts';
import type { Entities } from '../store/entities/entities.ts';
import { type Actor, hasRights, isPrivileged } from './actor.ts';

/** Fraction of the change log that one identity without rights may write at once, and again in each hour. */
const SHARE = 0.1;
/** Minimum number of records in a share, however short the log is. */
const MIN_RECORDS = 100;
/** Maximum number of identities whose records are counted; beyond it, the counts of those that wrote least recently are reset. */
const MAX_IDENTITIES = 10_000;

/** Limits the records that each identity without rights writes to the change log, so that none displaces the records of others. */
export interface LogShares {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the share of the identity is used up */
  assertLeft(identityId: string): void;
  /** Counts committed records. */
  take(identityId: string, records: number): void;
  /** True if a write was refused within the last hour. */
  readonly isUsedUp: boolean;
}

/** @param changesKept the setting: maximum number of change records */
export const createLogShares = (clock: Clock, changesKept: number): LogShares => {
  // The setting may be Infinity, for which the calculations below would yield NaN.
  const share = Math.min(Math.max(MIN_RECORDS, changesKept * SHARE), Number.MAX_SAFE_INTEGER);
  const used = boundedCache<string, { readonly records: number; readonly at: number }>(MAX_IDENTITIES);
  let refusedAt = -Infinity;
  const usedBy = (identityId: string): number => {
    const { records = 0, at = 0 } = used.get(identityId) ?? {};
    return Math.max(0, records - (Math.max(0, monotonic(clock) - at) * share) / HOUR);
  };
  return {
    assertLeft: (identityId) => {
      const excess = usedBy(identityId) - share;
      if (excess < 0) return;
      refusedAt = monotonic(clock);
      throw new ApiError('SERVER_TOO_MANY_REQUESTS', {
        cause: {
          code: 'SERVER_TOO_MANY_REQUESTS',
          message: 'this identity has caused too many changes, such as logins: wait, and cause fewer',
        },
        retryAfter: Math.ceil(((excess + 1) / share) * (HOUR / 1000)),
      });
    },
    take: (identityId, records) => used.set(identityId, { records: usedBy(identityId) + records, at: monotonic(clock) }),
    get isUsedUp() {
      return monotonic(clock) - refusedAt < HOUR;
    },
  };
};

/** Records that count towards the share of an identity without rights. */
export interface LogShare {
  readonly identityId: string;
  readonly records: number;
}

/**
 * The records of a write that count towards the share of its caller; undefined if the caller, or the identity that it has just logged in,
 * has rights. Writes that only delete are never refused.
 * @throws as `LogShares.assertLeft`
 */
export const shareOf = async (shares: LogShares, actor: Actor, entities: Entities): Promise<LogShare | undefined> => {
  const { changes } = entities;
  if (changes.length === 0 || hasRights(actor)) return undefined;
  const identityId = 'identity' in actor ? actor.identity.id : await findUnprivilegedLogin(entities);
  if (identityId === undefined) return undefined;
  if (changes.some(({ action }) => action !== 'delete')) shares.assertLeft(identityId);
  return { identityId, records: changes.length };
};

/** The id of the identity without rights that has logged in by this write. */
const findUnprivilegedLogin = async (entities: Entities): Promise<string | undefined> => {
  const login = entities.changes.find(({ entity, action }) => entity === apiSession.kind && action === 'create');
  const id = login?.entity === 'apiSession' ? login.after?.identityId : undefined;
  const owner = id === undefined ? undefined : await entities.get(identity, id);
  return owner && !isPrivileged(owner) ? owner.id : undefined;
};
