import { apiSessionsOf, endApiSessions } from '../../call/authentication/api-sessions.ts';
import { authenticator, type authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { FOREVER } from '../../query/dates.ts';
import { equals, stringField } from '../../query/index.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { enabled } from './behaviour.ts';

type Identity = RowOf<typeof identity>;

/**
 * Disables an identity and ends its sessions immediately. If it is already disabled, its time starts over.
 * @param durationMinutes 0 or less: until it is enabled
 */
export const disableIdentity = async (entities: Entities, row: Identity, durationMinutes: number, now: string): Promise<void> => {
  const until = durationMinutes <= 0 ? null : new Date(Math.min(Date.parse(now) + durationMinutes * MINUTE, FOREVER)).toISOString();
  await entities.update(identity, row, { disabledAt: now, disabledUntil: until });
  await endApiSessions(entities, await apiSessionsOf(entities, row.id));
};

/** Clears the disabled state and the count of wrong passwords that may have caused it. */
export const enableIdentity = async (entities: Entities, row: Identity): Promise<void> => {
  if (row.disabledAt !== null) await entities.update(identity, row, enabled);
  for (const own of await entities.list(authenticator, { where: equals(stringField('identityId'), row.id) })) {
    if (own.failedAttempts) await entities.update(authenticator, own, { failedAttempts: 0 });
  }
};

/** @throws ApiError `ENTITY_CAN_NOT_BE_UPDATED` for the default administrator, who must always be able to enable others */
export const refuseDefaultAdministrator = (row: Identity): void => {
  if (row.isDefaultAdmin)
    throw new ApiError('ENTITY_CAN_NOT_BE_UPDATED', {
      cause: { code: 'ENTITY_CAN_NOT_BE_UPDATED', message: 'the default administrator cannot be disabled' },
    });
};

/** An attempt to log in with a password: the authenticator, its identity, and the rules of the policy. */
export interface PasswordAttempt {
  readonly own: RowOf<typeof authenticator>;
  readonly owner: RowOf<typeof identity>;
  readonly updb: RowOf<typeof authPolicy>['primary']['updb'];
}

/** Lockout of the default administrator if the policy locks out until enabled, because there may be no other administrator to enable it. */
const DEFAULT_ADMINISTRATOR_LOCKOUT_MINUTES = 10;

/** The effect of a wrong password: not counted, counted, or counted and the identity locked. */
export type FailedAttempt = 'ignored' | 'counted' | 'locked';

/** Counts a wrong password. After `maxAttempts` consecutive ones, disables the identity and resets the count. */
export const countWrongPassword = async (
  entities: Entities,
  { own, owner, updb }: PasswordAttempt,
  now: string,
): Promise<FailedAttempt> => {
  if (updb.maxAttempts === 0) return 'ignored';
  const failedAttempts = (own.failedAttempts ?? 0) + 1;
  const locked = failedAttempts >= updb.maxAttempts;
  await entities.update(authenticator, own, { failedAttempts: locked ? 0 : failedAttempts });
  if (!locked) return 'counted';
  const minutes = updb.lockoutDurationMinutes;
  await disableIdentity(entities, owner, owner.isDefaultAdmin && minutes === 0 ? DEFAULT_ADMINISTRATOR_LOCKOUT_MINUTES : minutes, now);
  return 'locked';
};
