import { bySigner } from '../../../../api/api-sessions.ts';
import { authPolicy } from '../../../../api/auth-policies.ts';
import { externalJwtSigner } from '../../../../api/external-jwt-signers.ts';
import { identity } from '../../../../api/identities.ts';
import type { RowOf } from '../../../../api/kit/resource.ts';
import { isDisabled } from '../../../../authentication/actors.ts';
import { externalTokensOf, proofOf, proves } from '../../../../authentication/external-tokens.ts';
import type { ApiSessionActor, TokenProof } from '../../../../call/actor.ts';
import type { Call } from '../../../../call/call.ts';
import type { Entities } from '../../../../changes/entities.ts';
import { equals, stringField } from '../../../../query/index.ts';
import { invalidAuth, type LoginBody, type OpenSession } from '../login.ts';

/**
 * Login by the token of an external signer, in `Authorization: Bearer`. Every failure has the same answer.
 * @throws ApiError `INVALID_AUTH`
 */
export const loginByExternalToken = async (call: Call, body: LoginBody, open: OpenSession): Promise<ApiSessionActor> => {
  for (const token of externalTokensOf(call)) {
    const proof = await proofOf(call, token);
    // Read first, without a write permit: a valid token without an identity could otherwise occupy writers at no cost.
    if (!proof || !(await call.read((entities) => ownerOf(entities, proof, call)))) continue;
    const actor = await call.write(async (entities) => {
      const owner = await ownerOf(entities, proof, call);
      return owner && open(entities, { owner, authenticatorId: bySigner(proof.signer.id) }, body, call);
    });
    if (actor) return actor;
  }
  throw invalidAuth();
};

/** The identity that a token proves, if it may log in that way. */
const ownerOf = async (entities: Entities, proof: TokenProof, call: Call): Promise<RowOf<typeof identity> | undefined> => {
  const signer = await entities.get(externalJwtSigner, proof.signer.id);
  if (!signer) return undefined;
  const owner = signer.useExternalId
    ? await entities.find(identity, equals(stringField('externalId'), proof.subject))
    : await entities.get(identity, proof.subject);
  call.observation?.failsAs(owner ? 'not-allowed' : 'unknown', owner?.id);
  if (!owner || !proves(proof, signer, owner) || isDisabled(owner, call.now())) return undefined;
  const { allowed, allowedSigners } = (await entities.require(authPolicy, owner.authPolicyId)).primary.extJwt;
  return allowed && (allowedSigners.length === 0 || allowedSigners.includes(signer.id)) ? owner : undefined;
};
