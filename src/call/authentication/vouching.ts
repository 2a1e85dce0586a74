/**
 * Certificate authorities and external JWT signers vouch for identities. One that a delegate has written vouches for no privileged
 * identity.
 */

import { needsNoAuthenticator } from '../../contract/api/api-sessions.ts';
import { authenticator, type ca, enrollment, type externalJwtSigner, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { and, equals, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { isPrivileged, protectedFrom } from '../actor.ts';
import type { Call } from '../call.ts';
import { removeEntity } from '../resources/removal.ts';
import { endOtherSessions } from './api-sessions.ts';

type Voucher = RowOf<typeof ca> | RowOf<typeof externalJwtSigner>;

/** The mark of a written row: of the last write that changed one of the fields that determine whom it proves. */
export const writtenByDelegate = <R extends Voucher>(
  { grant }: Pick<Call, 'grant'>,
  decisive: readonly (keyof R)[],
  after: R,
  before: R | undefined,
): Pick<Voucher, 'isWrittenByDelegate'> | undefined =>
  isChanged(decisive, after, before) ? { isWrittenByDelegate: grant.isDelegated } : undefined;

/** True if a write creates the row, or changes one of the fields. */
export const isChanged = <R extends object>(fields: readonly (keyof R)[], after: R, before: R | undefined): boolean =>
  !before || fields.some((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));

/**
 * True if one of these authentication policies is that of an identity out of reach for a holder of these permissions; by default, of any
 * with rights. What a delegate has written must enroll no identity under such a policy.
 */
export const isPolicyOfProtected = async (
  entities: Entities,
  policyIds: readonly string[],
  held: readonly string[] = [],
): Promise<boolean> =>
  policyIds.length > 0 && (await entities.count(identity, and(oneOf(stringField('authPolicyId'), policyIds), protectedFrom(held)))) > 0;

/** True if an authority or a signer may prove an identity. */
export const mayVouchFor = (
  { isWrittenByDelegate }: Pick<Voucher, 'isWrittenByDelegate'>,
  owner: Parameters<typeof isPrivileged>[0],
): boolean => isWrittenByDelegate !== true || !isPrivileged(owner);

/**
 * Ends what others may have opened for an identity that gains rights: sessions, with their tokens and logins under way, for which an
 * authority or a signer has vouched, and outstanding enrollments. Either may have been in the hands of a delegate at that time, and may
 * have changed hands since.
 */
export const endVouchedFor = async (entities: Entities, call: Pick<Call, 'actor'>, identityId: string): Promise<void> => {
  const own = equals(stringField('identityId'), identityId);
  const foreign = (await entities.list(authenticator, { where: and(own, equals(stringField('method'), 'cert')) }))
    .filter(({ isIssuedByNetwork }) => !isIssuedByNetwork)
    .map(({ id }) => id);
  await endOtherSessions(
    entities,
    call,
    identityId,
    ({ authenticatorId, bearer }) =>
      needsNoAuthenticator(authenticatorId) ||
      foreign.includes(authenticatorId) ||
      bearer?.amr.some((way) => way.startsWith('ejs:')) === true,
  );
  for (const row of await entities.list(enrollment, { where: own })) await removeEntity(entities, enrollment, row);
};
