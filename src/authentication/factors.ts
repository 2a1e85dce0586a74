/** The factors that an API session owes before it is fully authenticated: an MFA code of the identity, a token of an external signer. */

import type { AuthQuery } from '../api/api-sessions.ts';
import { type apiSession, type authPolicy, externalJwtSigner, type identity } from '../api/kinds.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { ApiSessionActor, TokenProof } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { proves, secondFactorOf } from './external-tokens.ts';

type ApiSession = RowOf<typeof apiSession>;
type Policy = Pick<RowOf<typeof authPolicy>, 'secondary'>;

/**
 * The factors that a session owes under the current policy: policy changes also apply to existing sessions. A session whose identity had MFA at login owes a
 * code until one is given. A policy that requires TOTP requires a code of the identity's current MFA: once MFA is removed, a code is owed again.
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
  const codes = owesCode ? [CODE] : [];
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

/** The external token that every request of an identity must present, if it is missing. It is owed even if the signer no longer exists or is unusable. */
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
