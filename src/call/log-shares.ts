import { apiSession, identity } from '../api/kinds.ts';
import type { Entities } from '../entities/entities.ts';
import { ApiError } from '../errors/index.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { HOUR, monotonic } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import { type Actor, hasRights, isPrivileged } from './actor.ts';

/** The share of the change log that one identity without rights may write at once, and again in each hour. */
const SHARE = 0.1;
/** The least number of records of a share, however short the log is. */
const MIN_RECORDS = 100;
/** Maximum number of identities whose records are counted; beyond it, those that wrote least recently start over. */
const MAX_IDENTITIES = 10_000;

/** Bounds the records that each identity without rights causes in the change log, so that none pushes those of others out of it. */
export interface LogShares {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the share of the identity is used up */
  assertLeft(identityId: string): void;
  /** Counts records that were committed. */
  take(identityId: string, records: number): void;
  /** True if a share was used up within the last hour. */
  readonly isUsedUp: boolean;
}

/** @param changesKept the setting */
export const createLogShares = (clock: Clock, changesKept: number): LogShares => {
  // Infinity is a limit, too, with which shares cannot be computed.
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

/** Records that an identity without rights causes. */
export interface LogShare {
  readonly identityId: string;
  readonly records: number;
}

/**
 * What a caller without rights, or one that has just logged in, writes into the change log. What only ends something is not refused.
 * @throws as `LogShares.assertLeft`
 */
export const shareOf = async (shares: LogShares, actor: Actor, entities: Entities): Promise<LogShare | undefined> => {
  const { changes } = entities;
  if (changes.length === 0 || hasRights(actor)) return undefined;
  const identityId = 'identity' in actor ? actor.identity.id : await loggedIn(entities);
  if (identityId === undefined) return undefined;
  if (changes.some(({ action }) => action !== 'delete')) shares.assertLeft(identityId);
  return { identityId, records: changes.length };
};

/** The identity without rights that has logged in. */
const loggedIn = async (entities: Entities): Promise<string | undefined> => {
  const login = entities.changes.find(({ entity, action }) => entity === apiSession.kind && action === 'create');
  const id = login?.entity === 'apiSession' ? login.after?.identityId : undefined;
  const owner = id === undefined ? undefined : await entities.get(identity, id);
  return owner && !isPrivileged(owner) ? owner.id : undefined;
};
