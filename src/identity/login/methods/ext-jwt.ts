import type { ApiSessionActor, TokenProof } from '../../../call/actor.ts';
import { challengePrimary } from '../../../call/authentication/external-challenges.ts';
import { externalTokensOf, proofOf } from '../../../call/authentication/external-tokens.ts';
import { ownerOf } from '../../../call/authentication/token-owner.ts';
import { reportRefusal } from '../../../call/authentication/token-refusals.ts';
import type { Call } from '../../../call/call.ts';
import { bySigner } from '../../../contract/api/api-sessions.ts';
import type { TokenRefusal } from '../../../runtime/observability/events.ts';
import type { Entities } from '../../../store/entities/entities.ts';
import { invalidAuth, type LoginBody, type OpenSession } from '../login.ts';

/**
 * Login with the token of an external signer in `Authorization: Bearer`. Every failure gets the same response, except for the challenge,
 * which distinguishes expired from invalid tokens of a known signer.
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
