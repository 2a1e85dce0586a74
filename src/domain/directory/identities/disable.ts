import { authenticator, type authPolicy, identity } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { apiSessionsOf, endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError } from '../../../errors/index.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { FOREVER } from '../../../query/dates.ts';
import { equals, stringField } from '../../../query/index.ts';
import { enabled } from './behaviour.ts';

type Identity = RowOf<typeof identity>;

/** Disables an identity for some minutes (0 or less: until it is enabled), and ends its sessions immediately. Disabling it again restarts the time. */
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

/** Lockout of the default administrator if the policy says "until enabled", because there may be no other administrator to enable it. */
const DEFAULT_ADMINISTRATOR_LOCKOUT_MINUTES = 10;

/** The effect of a wrong password: not counted, counted, or counted and the identity locked. */
export type FailedAttempt = 'no' | 'counted' | 'locked';

/** Counts a wrong password. After `maxAttempts` consecutive ones, disables the identity and resets the count. */
export const countWrongPassword = async (
  entities: Entities,
  { own, owner, updb }: PasswordAttempt,
  now: string,
): Promise<FailedAttempt> => {
  if (updb.maxAttempts === 0) return 'no';
  const failedAttempts = (own.failedAttempts ?? 0) + 1;
  const locked = failedAttempts >= updb.maxAttempts;
  await entities.update(authenticator, own, { failedAttempts: locked ? 0 : failedAttempts });
  if (!locked) return 'counted';
  const minutes = updb.lockoutDurationMinutes;
  await disableIdentity(entities, owner, owner.isDefaultAdmin && minutes === 0 ? DEFAULT_ADMINISTRATOR_LOCKOUT_MINUTES : minutes, now);
  return 'locked';
};
