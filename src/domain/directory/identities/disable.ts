import { authenticator } from '../../../api/authenticators.ts';
import { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { apiSessionsOf, endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError } from '../../../errors/index.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { FOREVER } from '../../../query/dates.ts';
import { equals, stringField } from '../../../query/index.ts';
import { enabled } from './behaviour.ts';

type Identity = RowOf<typeof identity>;

/** Disables an identity for some minutes (0 or less: until enabled) and ends its sessions at once. Disabling again restarts the time. */
export const disableIdentity = async (entities: Entities, row: Identity, durationMinutes: number, now: string): Promise<void> => {
  const until = durationMinutes <= 0 ? null : new Date(Math.min(Date.parse(now) + durationMinutes * MINUTE, FOREVER)).toISOString();
  await entities.update(identity, row, { disabledAt: now, disabledUntil: until });
  await endApiSessions(entities, await apiSessionsOf(entities, row.id));
};

/** Clears the disabled state, and the count of wrong passwords that may have led to it. */
export const enableIdentity = async (entities: Entities, row: Identity): Promise<void> => {
  if (row.disabledAt !== null) await entities.update(identity, row, enabled);
  for (const own of await entities.list(authenticator, { where: equals(stringField('identityId'), row.id) })) {
    if (own.failedAttempts) await entities.update(authenticator, own, { failedAttempts: 0 });
  }
};

/** @throws ApiError `ENTITY_CAN_NOT_BE_UPDATED`: the default administrator is the one who must always be able to enable others */
export const refuseDefaultAdministrator = (row: Identity): void => {
  if (row.isDefaultAdmin)
    throw new ApiError('ENTITY_CAN_NOT_BE_UPDATED', {
      cause: { code: 'ENTITY_CAN_NOT_BE_UPDATED', message: 'the default administrator cannot be disabled' },
    });
};
