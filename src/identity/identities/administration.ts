import { ADMINISTRATORS } from '../../call/actor.ts';
import { actorOfApiSession, isDisabled } from '../../call/authentication/actors.ts';
import { hasMfa } from '../../call/authentication/factors.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, authenticator, authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';

type Policy = RowOf<typeof authPolicy>;

/** True if a policy allows logins with at least one of the authenticators. */
const allowsLoginBy = (
  authenticators: readonly Pick<RowOf<typeof authenticator>, 'method'>[],
  { primary }: Pick<Policy, 'primary'>,
): boolean => authenticators.some(({ method }) => authenticatorMethods[method].isAllowed(primary));

/**
 * Ensures that the default administrator can always log in with one of its authenticators. Requiring TOTP does not lock it out, since a
 * session that owes a code may enroll in MFA.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field that locks it out, or with `field`
 */
export const requireAdministratorLogin = async (
  entities: Entities,
  identityId: string,
  policy: Pick<Policy, 'primary' | 'secondary'>,
  field?: string,
): Promise<void> => {
  const authenticators = await entities.list(authenticator, { where: equals(stringField('identityId'), identityId) });
  if (authenticators.length > 0 && !allowsLoginBy(authenticators, policy))
    throw invalidField(
      field ?? 'primary',
      `the default administrator could no longer log in: the policy must allow ${authenticators.map(({ method }) => method).join(' or ')}`,
      undefined,
    );
  // The external provider may be unavailable while there is no other administrator to change the policy.
  if (policy.secondary.requireExtJwtSigner)
    throw invalidField(
      field ?? 'secondary.requireExtJwtSigner',
      'the default administrator could no longer log in without a token of that signer',
      policy.secondary.requireExtJwtSigner,
    );
};

/**
 * Ensures that a change of required factors can be undone: the session that made it still has all required factors, or an administrator can
 * log in with them. Administrators who have not enrolled in TOTP are ignored, because anyone who knows the password could enroll in their
 * place. The host application can always undo the change.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field that locks all administrators out
 */
export const assertAdministrable = async (entities: Entities, call: Call, field: string, value: unknown): Promise<void> => {
  if (call.actor.kind !== 'session' || (await hasAllFactors(entities, call, call.actor))) return;
  const administrators = await entities.list(identity, { where: ADMINISTRATORS });
  for (const row of administrators) if (await canLogIn(entities, row, call.now())) return;
  throw invalidField(
    field,
    'no administrator could log in with all required factors, so nobody could undo this change: let an administrator enroll in MFA first (POST /current-identity/mfa, then verify), or assign another policy to administrators',
    value,
  );
};

const hasAllFactors = async (
  entities: Entities,
  call: Call,
  { session, token, proofs }: Extract<Call['actor'], { kind: 'session' }>,
): Promise<boolean> => {
  const current = await entities.get(apiSession, session.id);
  const actor = current && (await actorOfApiSession(entities, call.core, current, token, call.now(), proofs));
  return actor?.authQueries.length === 0;
};

/** True if an administrator can log in without an external provider, which may be unavailable. */
const canLogIn = async (entities: Entities, row: RowOf<typeof identity>, now: string): Promise<boolean> => {
  if (isDisabled(row, now)) return false;
  const policy = await entities.require(authPolicy, row.authPolicyId);
  if (policy.secondary.requireExtJwtSigner) return false;
  const authenticators = await entities.list(authenticator, { where: equals(stringField('identityId'), row.id) });
  if (!allowsLoginBy(authenticators, policy)) return false;
  return !policy.secondary.requireTotp || hasMfa(entities, row.id);
};
