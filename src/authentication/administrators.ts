import { identity, revocation } from '../api/kinds.ts';
import type { Kind } from '../api/kit/index.ts';
import { ADMINISTRATORS, hasAdministratorRights } from '../call/actor.ts';
import type { Change } from '../changelog/events.ts';
import type { Entities } from '../entities/entities.ts';
import { unauthorized } from '../errors/index.ts';
import { and, equals, oneOf, stringField } from '../query/index.ts';
import { ownerIn, ownersOf } from '../resources/owners.ts';
import type { Row } from '../storage/port.ts';

/** The ids of the given identities that are administrators. */
const administratorsAmong = async (entities: Entities, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await entities.list(identity, { where: and(oneOf(stringField('id'), ids), ADMINISTRATORS) })).map(({ id }) => id));

/**
 * Enforces, for an entity that a delegated call is about to change, the rule that only administrators may affect administrators.
 * @throws ApiError `UNAUTHORIZED` for an administrator, or an entity that belongs to one
 */
export const assertNotAdministrators = async (entities: Entities, kind: Kind, row: Row): Promise<void> => {
  const owners = kind.kind === identity.kind ? [row.id] : ownersIn(kind, row);
  if ((await administratorsAmong(entities, owners)).size > 0)
    throw unauthorized('only an administrator may change an administrator, or what belongs to one');
};

/** The identities that an entity belongs to. */
const ownersIn = (kind: Kind, row: Readonly<Record<string, unknown>>): readonly string[] =>
  ownersOf(kind).flatMap((owner) => (owner.target === identity ? (ownerIn(row, owner) ?? []) : []));

/**
 * Enforces, for the changes of a delegated call, the rule that only administrators may affect administrators: the call must not create, change or delete
 * one, change how one logs in, or change anything that vouches for identities.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertNoAdministratorAffected = async (entities: Entities, changes: readonly Change[]): Promise<void> => {
  const owners = new Set<string>();
  for (const change of changes) {
    switch (change.entity) {
      case 'identity':
        if ([change.before, change.after].some((row) => row && hasAdministratorRights(row)))
          throw unauthorized('only an administrator may create, change or delete an administrator');
        break;
      case 'authenticator':
      case 'enrollment':
      case 'mfa':
      case 'apiSession': {
        const { identityId } = change.after ?? change.before ?? {};
        if (identityId) owners.add(identityId);
        break;
      }
      case 'revocation': {
        const [owner] = ownersIn(revocation, change.after ?? {});
        if (owner !== undefined) owners.add(owner);
        // The owner of an unknown token or session cannot be determined.
        else if (!changes.some(({ entity }) => entity === 'apiSession'))
          throw unauthorized('only an administrator may revoke what is not known');
        break;
      }
      case 'authPolicy': {
        const where = and(equals(stringField('authPolicyId'), change.entityId), ADMINISTRATORS);
        if (change.before && (await entities.count(identity, where)) > 0)
          throw unauthorized('only an administrator may change an authentication policy of administrators');
        break;
      }
      case 'ca':
      case 'externalJwtSigner':
        throw unauthorized(
          'only an administrator may change what vouches for identities: certificate authorities and external JWT signers',
        );
    }
  }
  if ((await administratorsAmong(entities, [...owners])).size > 0)
    throw unauthorized('only an administrator may change how an administrator logs in');
};
