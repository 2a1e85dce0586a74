import type { authPolicy } from '../../../api/auth-policies.ts';
import { authenticator } from '../../../api/authenticators.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';

type Policy = RowOf<typeof authPolicy>;

/** True if a policy allows an identity to log in with one of its authenticators. */
export const allowsLoginBy = (
  ways: readonly Pick<RowOf<typeof authenticator>, 'method'>[],
  { primary }: Pick<Policy, 'primary'>,
): boolean => ways.some(({ method }) => authenticatorMethods[method].isAllowed(primary));

/**
 * The default administrator must always be able to log in by one of its authenticators. Requiring TOTP does not lock it out: a session that owes a
 * code may enroll in MFA.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field that locks it out, or with `field`
 */
export const requireAdministratorLogin = async (
  entities: Entities,
  identityId: string,
  policy: Pick<Policy, 'primary' | 'secondary'>,
  field?: string,
): Promise<void> => {
  const ways = await entities.list(authenticator, { where: equals(stringField('identityId'), identityId) });
  if (ways.length > 0 && !allowsLoginBy(ways, policy))
    throw invalidField(
      field ?? 'primary',
      `the default administrator could not log in any more: the policy must allow ${ways.map(({ method }) => method).join(' or ')}`,
      undefined,
    );
  // The provider may be unavailable, with no other administrator to change the policy.
  if (policy.secondary.requireExtJwtSigner)
    throw invalidField(
      field ?? 'secondary.requireExtJwtSigner',
      'the default administrator could not log in any more without a token of that signer',
      policy.secondary.requireExtJwtSigner,
    );
};
