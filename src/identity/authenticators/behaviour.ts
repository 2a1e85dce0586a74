import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import { authenticator, identity } from '../../contract/api/kinds.ts';
import { ApiError, explained, invalidField } from '../../contract/errors/index.ts';
import { and, equals, not, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { isInUse } from './certificates.ts';
import type { AuthenticatorBody, StoredAuthenticator } from './method.ts';
import { authenticatorMethods } from './methods.ts';
import { endSessionsAfterPasswordChange, hashPassword } from './passwords.ts';
import { checkUsername } from './usernames.ts';

export const authenticatorBehaviour = behaviour(authenticator, {
  prepare: async (call, verb, body, id) => {
    if (verb === 'create') {
      const created = body as AuthenticatorBody; // decoded by the kind's own schema
      return authenticatorMethods[created.method].create(call, created);
    }
    const row = await call.read((entities) => entities.require(authenticator, id ?? ''));
    return changedPassword(call, row, body);
  },
  check: async (entities, after, before) => {
    if (after.username !== null && after.username !== before?.username) checkUsername(after.username);
    if (before) return undefined;
    await requireFirstOfMethod(entities, after);
    if (after.fingerprint !== null && (await isInUse(entities, after.fingerprint)))
      throw invalidField('certPem', 'the certificate is already an authenticator', undefined);
    return undefined;
  },
  write: async (entities, after, before, call) => {
    if (before && after.passwordHash !== before.passwordHash) await endSessionsAfterPasswordChange(entities, call, after.identityId);
  },
  guard: async (entities, row) => {
    const owner = await entities.get(identity, row.identityId);
    if (!owner?.isDefaultAdmin) return;
    const others = await entities.count(
      authenticator,
      and(equals(stringField('identityId'), owner.id), not(equals(stringField('id'), row.id))),
    );
    if (others === 0)
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: {
          code: 'ENTITY_CAN_NOT_BE_DELETED',
          message: 'the default administrator could no longer log in: this is its last authenticator',
        },
      });
  },
});

/**
 * Ensures that an identity has only one authenticator of each method.
 * @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED`
 */
export const requireFirstOfMethod = async (
  entities: Entities,
  { identityId, method }: Pick<StoredAuthenticator, 'identityId' | 'method'>,
): Promise<void> => {
  const same = and(equals(stringField('identityId'), identityId), equals(stringField('method'), method));
  if ((await entities.count(authenticator, same)) > 0) throw new ApiError('MAX_AUTHENTICATOR_METHODS_REACHED');
};

/** The error for a change of the username or password of an authenticator that has neither. */
export const noPassword = ({ method }: StoredAuthenticator): ApiError =>
  explained(
    'CAN_NOT_UPDATE_AUTHENTICATOR',
    `the authenticator has method ${method}: only authenticators with method updb have a username and a password`,
  );

/**
 * The fields to store for a changed password. Of authenticators with other methods, only the tags can be changed.
 * @throws ApiError `CAN_NOT_UPDATE_AUTHENTICATOR`, or `COULD_NOT_VALIDATE` if the policy requires a stronger password
 */
export const changedPassword = async (
  call: Call,
  row: StoredAuthenticator,
  body: Readonly<Record<string, unknown>>,
): Promise<Partial<StoredAuthenticator>> => {
  if (row.method !== 'updb' && (body.username !== undefined || body.password !== undefined)) throw noPassword(row);
  return body.password === undefined ? {} : { ...(await hashPassword(call, row.identityId, String(body.password))), failedAttempts: 0 };
};
