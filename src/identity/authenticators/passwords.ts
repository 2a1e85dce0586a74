import { endOtherSessions } from '../../call/authentication/api-sessions.ts';
import type { Call } from '../../call/call.ts';
import { type authenticator, authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { invalidField, notFoundField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Rules = RowOf<typeof authPolicy>['primary']['updb'];

const requirements: readonly {
  readonly isRequired: (rules: Rules) => boolean;
  readonly isMet: (password: string) => boolean;
  readonly reason: string;
}[] = [
  {
    isRequired: (rules) => rules.requireMixedCase,
    isMet: (password) => /\p{Lu}/u.test(password) && /\p{Ll}/u.test(password),
    reason: 'must contain uppercase and lowercase letters',
  },
  { isRequired: (rules) => rules.requireNumberChar, isMet: (password) => /\p{Nd}/u.test(password), reason: 'must contain a digit' },
  {
    isRequired: (rules) => rules.requireSpecialChar,
    isMet: (password) => /[^\p{L}\p{N}\s]/u.test(password),
    reason: 'must contain a character that is not a letter, digit or space',
  },
];

/**
 * Checks a new password against the authentication policy of its identity (specification, "Authentication policy").
 * @throws ApiError `COULD_NOT_VALIDATE` with the field `password`; the error never contains the password itself
 */
const checkPassword = (password: string, rules: Rules): void => {
  if ([...password].length < rules.minPasswordLength)
    throw invalidField('password', `password in body should be at least ${rules.minPasswordLength} chars long`, password);
  const unmet = requirements.find(({ isRequired, isMet }) => isRequired(rules) && !isMet(password));
  if (unmet) throw invalidField('password', `password ${unmet.reason}`, password);
};

/**
 * Checks a password against the policy of its identity, and hashes it.
 * @throws ApiError `COULD_NOT_VALIDATE`, `NOT_FOUND`
 */
export const hashPassword = async (
  call: Call,
  identityId: string,
  password: string,
): Promise<Pick<RowOf<typeof authenticator>, 'passwordHash'>> => {
  const rules = await call.read(async (entities) => {
    const owner = await entities.get(identity, identityId);
    if (!owner) throw notFoundField('identityId', identity.kind, identityId);
    return (await entities.require(authPolicy, owner.authPolicyId)).primary.updb;
  });
  checkPassword(password, rules);
  return { passwordHash: await call.core.passwordChecks.hash(call, password) };
};

/**
 * Ends the API sessions of an identity, except the one of this call, if the setting `endSessionsOnPasswordChange` is on. Must be called in
 * the transaction that changes or removes the password.
 */
export const endSessionsAfterPasswordChange = async (
  entities: Entities,
  call: Pick<Call, 'actor' | 'core'>,
  identityId: string,
): Promise<void> => {
  if (call.core.settings.endSessionsOnPasswordChange) await endOtherSessions(entities, call, identityId);
};
