import type { Operation } from '../api/kit/operation.ts';
import { type Actor, type ApiSessionActor, isAdministrator } from '../call/actor.ts';
import { explained, unauthorized } from '../errors/index.ts';

/**
 * Whether the actor may call the operation. Denied unless something allows it.
 * @throws ApiError `UNAUTHORIZED`: 401, or 403 where the operation says so
 */
export const authorize = (actor: Actor, { permission, denied }: Operation): void => {
  if (permission === 'open' || actor.kind === 'system') return;
  if (actor.kind === 'identity' && (permission === 'partial' || permission === 'session' || isAdministrator(actor))) return;
  if (actor.kind === 'session') {
    if (permission === 'partial') return;
    assertOwesNothing(actor, { permission });
    assertIsItsOwn(actor, { permission });
    if (permission === 'session' || isAdministrator(actor)) return;
  }
  throw explained('UNAUTHORIZED', 'only an administrator may do this: log in as one', denied === undefined ? {} : { status: denied });
};

/**
 * A session that still owes a factor may do nothing else, an administrator's no more than any other.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertOwesNothing = (actor: Actor, { permission }: Pick<Operation, 'permission'>): void => {
  if (actor.kind !== 'session' || permission === 'open' || permission === 'partial' || actor.authQueries.length === 0) return;
  throw unauthorized(`the login is not complete: it still owes ${owed(actor)}`);
};

/**
 * Routers are sent the token of a session that dials or binds services, so that they recognize its client. A router that uses the token of an administrator
 * is no administrator.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertIsItsOwn = (actor: Actor, { permission }: Pick<Operation, 'permission'>): void => {
  if (actor.kind !== 'session' || permission === 'open' || permission === 'partial' || permission === 'session') return;
  if (actor.session.isKnownToRouters)
    throw unauthorized(
      'this API session dials or binds services, so that routers know its token: log in once more to administer the network',
    );
};

const owed = ({ authQueries }: ApiSessionActor): string =>
  authQueries
    .map(({ typeId }) =>
      typeId === 'MFA' ? 'a code, by POST /authenticate/mfa' : 'a token of its external JWT signer, in the header Authorization',
    )
    .join(' and ');
