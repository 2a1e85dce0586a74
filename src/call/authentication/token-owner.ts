import { authPolicy, externalJwtSigner, type identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { TokenProof } from '../actor.ts';
import type { Call } from '../call.ts';
import { isDisabled } from './actors.ts';
import { isUnchanged, namedBy } from './external-tokens.ts';
import type { Refusal } from './token-refusals.ts';
import { mayVouchFor } from './vouching.ts';

type OwnerOrRefusal =
  | { readonly owner: RowOf<typeof identity>; readonly refusal?: never }
  | { readonly owner?: never; readonly refusal: Refusal };

/** The identity that a token proves, or the reason why it may not log in with the token. */
export const ownerOf = async (entities: Entities, proof: TokenProof, call: Pick<Call, 'now'>): Promise<OwnerOrRefusal> => {
  const signer = await entities.get(externalJwtSigner, proof.signer.id);
  if (!signer || !isUnchanged(proof, signer)) return { refusal: { reason: 'changed' } };
  const owner = await namedBy(entities, { ...proof, signer });
  if (!owner) return { refusal: { reason: 'unknown' } };
  const identityId = owner.id;
  if (isDisabled(owner, call.now())) return { refusal: { reason: 'disabled', identityId } };
  const { allowed, allowedSigners } = (await entities.require(authPolicy, owner.authPolicyId)).primary.extJwt;
  const isAllowed = allowed && mayVouchFor(signer, owner) && (allowedSigners.length === 0 || allowedSigners.includes(signer.id));
  return isAllowed ? { owner } : { refusal: { reason: 'policy', identityId } };
};
