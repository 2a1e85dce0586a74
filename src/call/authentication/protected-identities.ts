import { bySigner } from '../../contract/api/api-sessions.ts';
import { apiSession, authenticator, authPolicy, ca, externalJwtSigner, identity, revocation } from '../../contract/api/kinds.ts';
import type { Kind, RowOf } from '../../contract/api/kit/index.ts';
import type { Change, ChangedRow } from '../../contract/changes/events.ts';
import { administratorsOnly } from '../../contract/errors/index.ts';
import { and, equals, idAfter, not, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { type Actor, isProtectedFrom, permissionsOf, protectedFrom, scopesOf } from '../actor.ts';
import type { Grant } from '../grant.ts';
import { ownerIn, ownersOf } from '../resources/owners.ts';
import { confusableWith } from './external-tokens.ts';
import { isPolicyOfProtected } from './vouching.ts';

type By = Pick<Grant, 'permissions'>;

const heldBy = ({ permissions = [] }: By): readonly string[] => permissions;

const areProtected = async (entities: Entities, ids: readonly string[], by: By): Promise<boolean> =>
  ids.length > 0 && (await entities.count(identity, and(oneOf(stringField('id'), ids), protectedFrom(heldBy(by))))) > 0;

/**
 * Enforces, for an entity that a delegated call names, the rule that only administrators may affect administrators, and nobody may affect
 * who has more rights.
 * @throws ApiError `UNAUTHORIZED` for a protected identity, or an entity that belongs to one
 */
export const assertNotProtected = async (entities: Entities, kind: Kind, row: Row, by: By): Promise<void> => {
  const owners = kind.kind === identity.kind ? [row.id] : ownersIn(kind, row);
  if (await areProtected(entities, owners, by))
    throw administratorsOnly('only an administrator may do this to an identity with more rights, or to what belongs to one');
};

/**
 * Enforces the same rule for what is not stored, such as circuits.
 * @param ids the identities that it belongs to
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertNoneProtected = async (entities: Entities, ids: readonly string[], by: By): Promise<void> => {
  if (await areProtected(entities, ids, by))
    throw administratorsOnly('only an administrator may do this to what belongs to an identity with more rights');
};

/** The identities that an entity belongs to. */
const ownersIn = (kind: Kind, row: Readonly<Record<string, unknown>>): readonly string[] =>
  ownersOf(kind).flatMap((owner) => (owner.target === identity ? (ownerIn(row, owner) ?? []) : []));

/**
 * Enforces the same rule for the changes of a delegated call: the call must not create, change or delete a protected identity, change how
 * one logs in, give or take permissions, or change anything that vouches for protected identities.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertNoneProtectedReached = async (entities: Entities, changes: readonly Change[], by: By): Promise<void> => {
  const owners = new Set<string>();
  for (const change of changes) {
    switch (change.entity) {
      case 'identity':
        assertIdentityChange(change, by);
        await assertNotLikeProtected(entities, change, by);
        break;
      case 'authenticator':
      case 'apiToken':
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
          throw administratorsOnly('only an administrator may revoke what is not known');
        break;
      }
      case 'authPolicy':
        if (change.before && (await isPolicyOfProtected(entities, [change.entityId], heldBy(by))))
          throw administratorsOnly('only an administrator may change an authentication policy of identities with more rights');
        break;
      case 'ca':
      case 'externalJwtSigner':
        await assertMayVouch(entities, change, by);
    }
  }
  if (await areProtected(entities, [...owners], by))
    throw administratorsOnly('only an administrator may change how an identity with more rights logs in');
};

const assertIdentityChange = ({ before, after }: Extract<Change, { entity: 'identity' }>, by: By): void => {
  const permissions = (row: typeof after) => JSON.stringify([permissionsOf(row ?? {}), scopesOf(row ?? {})]);
  if (permissions(after ?? before) !== permissions(before)) throw administratorsOnly('only an administrator may give or take permissions');
  if ([before, after].some((row) => row && isProtectedFrom(heldBy(by), row)))
    throw administratorsOnly('only an administrator may create, change or delete an identity with more rights');
};

/** Signers may ignore the case of external ids: one that differs from another in case alone would make their tokens ambiguous. */
const assertNotLikeProtected = async (
  entities: Entities,
  { before, after }: Extract<Change, { entity: 'identity' }>,
  by: By,
): Promise<void> => {
  if (!after?.externalId || after.externalId === before?.externalId) return;
  const others = not(equals(stringField('id'), after.id));
  if ((await entities.count(identity, and(await confusableWith(entities, after.externalId, heldBy(by)), others))) > 0)
    throw administratorsOnly('only an administrator may give an external id that differs only in case from that of another identity');
};

/**
 * Certificate authorities and external JWT signers: those that a delegate has written prove no privileged identity, and those that do are
 * out of its reach.
 */
const assertMayVouch = async (
  entities: Entities,
  { entity, entityId, before }: Extract<Change, { entity: 'ca' | 'externalJwtSigner' }>,
  by: By,
): Promise<void> => {
  if (!by.permissions)
    throw administratorsOnly(
      'only an administrator may change what vouches for identities: certificate authorities and external JWT signers',
    );
  // Change records do not show who wrote it.
  const former = before && entities.past();
  const authority = entity === 'ca' ? await former?.get(ca, entityId) : undefined;
  const signer = entity === 'ca' ? undefined : await former?.get(externalJwtSigner, entityId);
  if ((authority && (await provesProtected(entities, authority, by))) || (signer && (await isUsedByProtected(entities, signer, by))))
    throw administratorsOnly('only an administrator may change what identities with more rights log in by');
};

type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof authPolicy>;

/** Number of protected identities in one question. */
const PAGE = 500;

/**
 * True if one of the protected identities is concerned. Only administrators make these, so they are few; an authority may have certified
 * any number of others.
 * @param isConcerned the question about a page of them, and the policies of these
 */
const isOfProtected = async (
  entities: Entities,
  by: By,
  isConcerned: (page: readonly Identity[], policies: ReadonlyMap<string, Policy>) => boolean | Promise<boolean>,
): Promise<boolean> => {
  for (let after: string | undefined; ; ) {
    const page = await entities.list(identity, { where: and(protectedFrom(heldBy(by)), idAfter(after)), limit: PAGE });
    const ids = [...new Set(page.map(({ authPolicyId }) => authPolicyId))];
    const policies = await entities.list(authPolicy, { where: oneOf(stringField('id'), ids) });
    if (await isConcerned(page, new Map(policies.map((policy) => [policy.id, policy])))) return true;
    if (page.length < PAGE) return false;
    after = page.at(-1)?.id;
  }
};

const hasExternalId = ({ externalId }: Identity): boolean => externalId !== null;

/**
 * An authority proves those who have a certificate of it and, if an administrator wrote it and it claims external ids, those who have one.
 */
const provesProtected = (entities: Entities, { id, externalIdClaim, isVerified, isWrittenByDelegate }: RowOf<typeof ca>, by: By) =>
  isOfProtected(entities, by, async (page, policies) => {
    if (externalIdClaim && isVerified && !isWrittenByDelegate)
      if (page.some((row) => hasExternalId(row) && policies.get(row.authPolicyId)?.primary.cert.allowed)) return true;
    const ids = page.map((row) => row.id);
    return (await entities.referenced(authenticator, 'identityId', ids, equals(stringField('caId'), id))).length > 0;
  });

/**
 * A signer is used by those whose policy names it. One that an administrator wrote is also used by those whose policy accepts every signer,
 * if they have the external id by which it finds them, or are logged in by it: every identity has an id, so that alone says nothing.
 */
const isUsedByProtected = (entities: Entities, { id, useExternalId, isWrittenByDelegate }: RowOf<typeof externalJwtSigner>, by: By) =>
  isOfProtected(entities, by, async (page, policies) => {
    if ([...policies.values()].some(({ externalJwtSigners }) => externalJwtSigners?.includes(id))) return true;
    if (isWrittenByDelegate) return false;
    const accepting = page.filter(({ authPolicyId }) => acceptsEverySigner(policies.get(authPolicyId)));
    if (useExternalId) return accepting.some(hasExternalId);
    const ids = accepting.map((row) => row.id);
    return (await entities.referenced(apiSession, 'identityId', ids, equals(stringField('authenticatorId'), bySigner(id)))).length > 0;
  });

const acceptsEverySigner = (policy: Policy | undefined): boolean =>
  policy?.primary.extJwt.allowed === true && policy.primary.extJwt.allowedSigners.length === 0;

/**
 * Enforces, for a call with an API token, that it changes neither the rights of its own identity nor how that identity logs in: the token
 * could otherwise be turned into something that outlives it.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertOwnIdentityKept = (actor: Actor, changes: readonly Change[]): void => {
  if (actor.kind !== 'token') return;
  const { id } = actor.identity;
  const reaches = (change: Change): boolean => {
    switch (change.entity) {
      case 'identity':
        return change.entityId === id && accessOf(change.after ?? change.before) !== accessOf(change.before ?? change.after);
      case 'authenticator':
      case 'enrollment':
      case 'mfa':
        return (change.after ?? change.before)?.identityId === id;
      default:
        return false;
    }
  };
  if (changes.some(reaches))
    throw administratorsOnly('an API token cannot change the rights of its own identity, or how that identity logs in');
};

const accessOf = (row: ChangedRow<'identity'>): string =>
  JSON.stringify([row.isAdmin, row.authPolicyId, row.externalId, permissionsOf(row), scopesOf(row)]);
