import { identityOf, isAdministrator, isKnownToRouters } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Handlers } from '../../call/implement.ts';
import type { CheckPassword } from '../../call/password-checks.ts';
import { listRows } from '../../call/resources/crud.ts';
import { presentOne } from '../../call/resources/present.ts';
import { serializedDetail } from '../../call/resources/serialized-details.ts';
import type { currentIdentity } from '../../contract/api/current-identity.ts';
import { authenticator, authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf, Tags } from '../../contract/api/kit/index.ts';
import { ApiError, notFound, unauthorized } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { changedPassword, noPassword } from '../authenticators/behaviour.ts';
import { confirmExtension, extend } from '../authenticators/extension.ts';
import { endSessionsAfterPasswordChange } from '../authenticators/passwords.ts';
import { checkUsername } from '../authenticators/usernames.ts';
import { countWrongPassword } from '../identities/lockout.ts';

const SELF = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } };

/** @throws ApiError `NOT_FOUND` for an authenticator that does not belong to the identity of the caller */
const ownAuthenticator = async (entities: Entities, call: Call, id: string) => {
  const row = await entities.require(authenticator, id);
  if (row.identityId !== identityOf(call.actor).id) throw notFound(authenticator.kind, id);
  return row;
};

/** The details of an authenticator as shown to its owner: the only link is to itself. */
const asOwn = <D extends { readonly id: string }>(detail: D): D => ({
  ...detail,
  _links: { self: { href: `./current-identity/authenticators/${detail.id}` } },
});

interface AuthenticatorChange {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly currentPassword: string;
  readonly tags?: Tags | undefined;
}

/**
 * Changes an authenticator of the caller. Checks, in this order, that it belongs to the caller, that it has a password, and that the caller
 * knows the current password. A wrong password is counted as in a login, so that a session cannot be used for unlimited guesses.
 */
const changeOwn = async (call: Call, id: string, { currentPassword, ...change }: AuthenticatorChange): Promise<void> => {
  const row = await call.read((entities) => ownAuthenticator(entities, call, id));
  if (row.method !== 'updb') throw noPassword(row);
  const belongsToAdministrator = async () => isAdministrator(call.actor);
  await call.core.passwordChecks.guess(call, row.username ?? row.id, belongsToAdministrator, (check) =>
    requireCurrentPassword(call, row, currentPassword, check),
  );
  if (Object.values(change).every((value) => value === undefined)) return; // an empty patch writes nothing
  const stored = await changedPassword(call, row, change);
  await call.write(async (entities) => {
    const current = await ownAuthenticator(entities, call, id);
    if (current.passwordHash !== row.passwordHash)
      throw unauthorized('the password has been changed by another request: try again with the new one');
    const { username = current.username, tags = current.tags } = change;
    if (username !== null && username !== current.username) checkUsername(username);
    await entities.update(authenticator, current, { ...stored, username, tags });
    if (change.password !== undefined) await endSessionsAfterPasswordChange(entities, call, current.identityId);
  });
};

/** @throws ApiError `UNAUTHORIZED` with the field if the password is wrong */
const requireCurrentPassword = async (
  call: Call,
  row: RowOf<typeof authenticator>,
  currentPassword: string,
  check: CheckPassword,
): Promise<void> => {
  if ((await check(currentPassword, row.passwordHash ?? undefined)).isRight) return;
  const counted = await call.write(async (entities) => {
    const own = await ownAuthenticator(entities, call, row.id);
    if (own.passwordHash !== row.passwordHash) return 'ignored';
    const owner = await entities.require(identity, own.identityId);
    const { updb } = (await entities.require(authPolicy, owner.authPolicyId)).primary;
    return countWrongPassword(entities, { own, owner, updb }, call.now());
  });
  call.observation?.authentication('password', 'failed');
  if (counted === 'locked') {
    call.observation?.authentication('password', 'locked');
    call.core.securityEvents.note(call, 'lockedOut', 'UNAUTHORIZED', row.identityId);
  }
  throw new ApiError('UNAUTHORIZED', { cause: { field: 'currentPassword', reason: 'the current password is wrong', value: '***' } });
};

/** The operations of the group that do not depend on later rooms. */
export const currentIdentityHandlers = {
  get: (call) =>
    call.read(async (entities) => {
      const row = await entities.require(identity, identityOf(call.actor).id);
      // Enrollments are hidden, so that a stolen session cannot be turned into an authenticator. Administrators see those of everyone
      // anyway.
      const showsEnrollments = isAdministrator(call.actor) && !isKnownToRouters(call.actor);
      return serializedDetail(entities, identity, row, call, { _links: SELF, ...(showsEnrollments ? {} : { enrollment: {} }) });
    }),
  listAuthenticators: (call, query) =>
    call.read(async (entities) => {
      const own = equals(stringField('identityId'), identityOf(call.actor).id);
      const page = await listRows(entities, authenticator, query, call, { within: own });
      return { ...page, data: page.data.map(asOwn) };
    }),
  getAuthenticator: (call, { id }) =>
    call.read(async (entities) => {
      const row = await ownAuthenticator(entities, call, id);
      return asOwn(await presentOne(entities, authenticator, row, call));
    }),
  replaceAuthenticator: async (call, { id, body }) => {
    await changeOwn(call, id, { ...body, tags: body.tags ?? {} });
    return {};
  },
  patchAuthenticator: async (call, { id, body }) => {
    await changeOwn(call, id, body);
    return {};
  },
  extendAuthenticator: extend,
  extendVerifyAuthenticator: confirmExtension,
} satisfies Partial<Handlers<(typeof currentIdentity)['operations']>>;
