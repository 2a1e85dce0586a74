/** The factors that an API session owes before it is fully authenticated: an MFA code of the identity, a token of an external signer. */

import type { AuthQuery } from '../../contract/api/api-sessions.ts';
import { type apiSession, type authPolicy, externalJwtSigner, type identity, mfa } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { ApiSessionActor, TokenProof } from '../actor.ts';
import type { Call } from '../call.ts';
import { proves, secondFactorOf } from './external-tokens.ts';

type ApiSession = RowOf<typeof apiSession>;
type Policy = Pick<RowOf<typeof authPolicy>, 'secondary'>;

export const mfaOf = (entities: Entities, identityId: string): Promise<RowOf<typeof mfa> | undefined> =>
  entities.find(mfa, equals(stringField('identityId'), identityId));

/** True if the identity has verified its MFA enrollment, so that its logins require a code. */
export const hasMfa = async (entities: Entities, identityId: string): Promise<boolean> =>
  (await mfaOf(entities, identityId))?.isVerified === true;

/**
 * The factors that a session owes under the current policy: policy changes also apply to existing sessions. A session whose identity had
 * MFA at login owes a code until one is given. A policy that requires TOTP requires a code of the identity's current MFA: once MFA is
 * removed, a code is owed again.
 */
export const owedFactors = async (
  entities: Entities,
  session: ApiSession,
  owner: RowOf<typeof identity>,
  policy: Policy,
  proofs: readonly TokenProof[],
): Promise<readonly AuthQuery[]> => {
  const { requireTotp, requireExtJwtSigner } = policy.secondary;
  const owesCode = requireTotp ? !session.mfaPassedAt : session.isMfaRequired === true && !session.isMfaComplete;
  const codes = owesCode ? [{ ...CODE, ...totpEnrolled(await hasMfa(entities, owner.id)) }] : [];
  return requireExtJwtSigner ? [...codes, ...(await owedToken(entities, session, owner, policy, proofs))] : codes;
};

const CODE: AuthQuery = {
  typeId: 'MFA',
  provider: 'ziti',
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  format: 'alphaNumeric',
  minLength: 4,
  maxLength: 6,
  scopes: null,
};

/** A part of a query for a code: left out if MFA is not enrolled, because clients abort on `isTotpEnrolled: false`. */
export const totpEnrolled = (isEnrolled: boolean): Pick<AuthQuery, 'isTotpEnrolled'> => (isEnrolled ? { isTotpEnrolled: true } : {});

/**
 * The external token that every request of an identity must present, if it is missing. It is owed even if the signer no longer exists or is
 * unusable.
 */
export const owedToken = async (
  entities: Entities,
  { bearer }: Pick<ApiSession, 'bearer'>,
  owner: RowOf<typeof identity>,
  { secondary: { requireExtJwtSigner: id } }: Policy,
  proofs: readonly TokenProof[],
): Promise<readonly AuthQuery[]> => {
  // For a session of the provider, the token is required only once, at login.
  if (!id || bearer?.amr.includes(`ejs:${id}`)) return [];
  const signer = await entities.get(externalJwtSigner, id);
  if (signer && proofs.some((proof) => proves(proof, signer, owner))) return [];
  const { externalAuthUrl, clientId, scopes = [] } = signer ?? {};
  return [
    {
      typeId: 'EXT-JWT',
      provider: 'url',
      id,
      ...(externalAuthUrl ? { httpUrl: externalAuthUrl } : {}),
      ...(clientId ? { clientId } : {}),
      scopes: scopes.length > 0 ? [...scopes] : null,
    },
  ];
};

/** The actor, without an owed token that this request presents. If no token is owed, those of the request are not verified. */
export const withSecondFactor = async (
  call: Pick<Call, 'core' | 'credentials' | 'read' | 'answerHeaders' | 'observation' | 'requestId'>,
  actor: ApiSessionActor,
): Promise<ApiSessionActor> => {
  const owed = actor.authQueries.find(({ typeId }) => typeId === 'EXT-JWT');
  if (!owed?.id) return actor;
  const proof = await secondFactorOf(call, owed.id, actor.identity, actor.presented?.text);
  return proof ? { ...actor, proofs: [proof], authQueries: actor.authQueries.filter((query) => query !== owed) } : actor;
};
