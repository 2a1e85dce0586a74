import type { Operation } from '../api/kit/operation.ts';
import { type Actor, isAdministrator } from '../call/actor.ts';
import { ApiError, unauthorized } from '../errors/index.ts';

/**
 * Whether the actor may call the operation. Denied unless something allows it.
 * @throws ApiError `UNAUTHORIZED`: 401, or 403 where the operation says so
 */
export const authorize = (actor: Actor, { permission, denied }: Operation): void => {
  if (permission === 'open' || actor.kind === 'system') return;
  if (actor.kind === 'session') {
    if (permission === 'partial') return;
    // A session that still owes a factor may do nothing else, an administrator's no more than any other.
    if (actor.authQueries.length > 0) throw unauthorized();
    if (permission === 'session' || isAdministrator(actor)) return;
  }
  throw denied === undefined ? unauthorized() : new ApiError('UNAUTHORIZED', { status: denied });
};
