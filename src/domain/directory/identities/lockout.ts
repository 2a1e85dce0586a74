import type { authPolicy } from '../../../api/auth-policies.ts';
import { authenticator } from '../../../api/authenticators.ts';
import type { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { disableIdentity } from './disable.ts';

/** Whose password was tried, and under which rules. */
export interface Tried {
  readonly own: RowOf<typeof authenticator>;
  readonly owner: RowOf<typeof identity>;
  readonly updb: RowOf<typeof authPolicy>['primary']['updb'];
}

/**
 * Minutes of lockout for the default administrator where the policy says "until enabled", because there may be no other administrator to enable it.
 */
const DEFAULT_ADMINISTRATOR_LOCKOUT = 10;

/** The effect of a wrong password: not counted, counted, or the identity was locked. */
export type FailedAttempt = 'no' | 'counted' | 'locked';

/** Consecutive wrong passwords up to `maxAttempts` disable the identity; then the count starts again. */
export const countWrongPassword = async (entities: Entities, { own, owner, updb }: Tried, now: string): Promise<FailedAttempt> => {
  if (updb.maxAttempts === 0) return 'no';
  const failedAttempts = (own.failedAttempts ?? 0) + 1;
  const locked = failedAttempts >= updb.maxAttempts;
  await entities.update(authenticator, own, { failedAttempts: locked ? 0 : failedAttempts });
  if (!locked) return 'counted';
  const minutes = updb.lockoutDurationMinutes;
  await disableIdentity(entities, owner, owner.isDefaultAdmin && minutes === 0 ? DEFAULT_ADMINISTRATOR_LOCKOUT : minutes, now);
  return 'locked';
};
