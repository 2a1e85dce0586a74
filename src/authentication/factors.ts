/** The factors that an API session owes before it is fully authenticated: a code of the identity's MFA, a token of an external signer. */

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
 * The factors that a session owes under the policy as it is now: a change of policy holds for running sessions too. A session whose identity had MFA at login
 * owes a code until it is given. A policy that requires TOTP asks for a code of the current MFA of the identity: after MFA is removed, a code is owed again.
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

/** The token that has to come with every request of an identity, unless it did. What is wrong with the signer itself leaves it owed. */
export const owedToken = async (
  entities: Entities,
  { bearer }: Pick<ApiSession, 'bearer'>,
  owner: RowOf<typeof identity>,
  { secondary: { requireExtJwtSigner: id } }: Policy,
  proofs: readonly TokenProof[],
): Promise<readonly AuthQuery[]> => {
  // A login by the provider has seen it once and for all.
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

/** The actor, who owes no token that came with this request. Tokens of sessions that owe none are not looked at. */
export const withSecondFactor = async (
  call: Pick<Call, 'core' | 'credentials' | 'read' | 'observation' | 'requestId'>,
  actor: ApiSessionActor,
): Promise<ApiSessionActor> => {
  const owed = actor.authQueries.find(({ typeId }) => typeId === 'EXT-JWT');
  if (!owed?.id) return actor;
  const proof = await secondFactorOf(call, owed.id, actor.identity, actor.presented?.text);
  return proof ? { ...actor, proofs: [proof], authQueries: actor.authQueries.filter((query) => query !== owed) } : actor;
};
