import { bySigner } from '../../../../api/api-sessions.ts';
import { authPolicy, externalJwtSigner, type identity } from '../../../../api/kinds.ts';
import type { RowOf } from '../../../../api/kit/index.ts';
import { isDisabled } from '../../../../authentication/actors.ts';
import { challengePrimary } from '../../../../authentication/external-challenges.ts';
import { externalTokensOf, isUnchanged, namedBy, proofOf } from '../../../../authentication/external-tokens.ts';
import { type Refusal, reportRefusal } from '../../../../authentication/token-refusals.ts';
import { mayVouchFor } from '../../../../authentication/vouching.ts';
import type { ApiSessionActor, TokenProof } from '../../../../call/actor.ts';
import type { Call } from '../../../../call/call.ts';
import type { Entities } from '../../../../entities/entities.ts';
import type { TokenRefusal } from '../../../../observability/events.ts';
import { invalidAuth, type LoginBody, type OpenSession } from '../login.ts';

/**
 * Login with the token of an external signer, sent in `Authorization: Bearer`. Every failure gets the same response, but for the
 * challenge, which distinguishes an expired or invalid token of a known signer.
 * @throws ApiError `INVALID_AUTH`
 */
export const loginByExternalToken = async (call: Call, body: LoginBody, open: OpenSession): Promise<ApiSessionActor> => {
  const texts = externalTokensOf(call);
  const refusals: TokenRefusal[] = [];
  if (texts.length === 0) reportRefusal(call, { reason: 'missing' });
  for (const text of texts) {
    const { proof, refusal } = await proofOf(call, text);
    const actor = proof && (await loginBy(proof, call, body, open));
    if (actor) return actor;
    if (!refusal) continue;
    reportRefusal(call, refusal);
    refusals.push(refusal.reason);
  }
  await challengePrimary(call, refusals);
  throw invalidAuth();
};

const loginBy = async (proof: TokenProof, call: Call, body: LoginBody, open: OpenSession): Promise<ApiSessionActor | undefined> => {
  const findOwner = async (entities: Entities) => {
    const { owner, refusal } = await ownerOf(entities, proof, call);
    if (refusal) reportRefusal(call, { ...refusal, signerId: proof.signer.id });
    return owner;
  };
  // Checked first without a write permit: otherwise, callers with valid tokens that belong to no identity could keep writers busy.
  if (!(await call.read(findOwner))) return undefined;
  return call.write(async (entities) => {
    const owner = await findOwner(entities);
    return owner && open(entities, { owner, authenticatorId: bySigner(proof.signer.id) }, body, call);
  });
};

type OwnerOrRefusal =
  | { readonly owner: RowOf<typeof identity>; readonly refusal?: never }
  | { readonly owner?: never; readonly refusal: Refusal };

/** The identity that a token proves, or the reason that it may not log in with the token. */
const ownerOf = async (entities: Entities, proof: TokenProof, call: Call): Promise<OwnerOrRefusal> => {
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
