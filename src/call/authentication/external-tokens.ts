import { externalJwtSigner, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { bearerTokens, type Claims, readToken, stringClaim } from '../../crypto/tokens/token.ts';
import { foldCase } from '../../query/fold-case.ts';
import { and, booleanField, equals, has, or, type Predicate, stringField } from '../../query/index.ts';
import type { TokenRefusal } from '../../runtime/observability/events.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { protectedFrom, type TokenProof } from '../actor.ts';
import type { Call } from '../call.ts';
import { challengeSecondary } from './external-challenges.ts';
import { type Refusal, reportRefusal } from './token-refusals.ts';
import { mayVouchFor } from './vouching.ts';

type Signer = RowOf<typeof externalJwtSigner>;
type Owner = Pick<RowOf<typeof identity>, 'id' | 'externalId' | 'isAdmin' | 'isDefaultAdmin' | 'permissions' | 'scopedPermissions'>;

/** The identity that a token proves, with all its claims, or the reason why it proves none. */
export type Proof =
  | { readonly proof: TokenProof; readonly claims: Claims; readonly refusal?: never }
  | { readonly proof?: never; readonly claims?: never; readonly refusal: Refusal };

/**
 * The tokens presented with a call, unverified.
 * @param own the provider's access token, which is left out because no external signer issued it
 */
export const externalTokensOf = ({ credentials }: Pick<Call, 'credentials'>, own?: string): readonly string[] =>
  credentials.kind === 'token' ? bearerTokens(credentials.authorization).filter((token) => token !== own) : [];

/**
 * Verifies a token against the signer with its issuer. Must not run inside a transaction, because keys may have to be fetched.
 * @param signerId the signer that the token must be from; default: any
 */
export const proofOf = async (call: Pick<Call, 'core' | 'read'>, text: string, signerId?: string): Promise<Proof> => {
  const token = readToken(text);
  if (!token) return { refusal: { reason: 'malformed' } };
  const issuer = stringClaim(token.claims, 'iss');
  // Issuers are unique. A key id never selects a signer, because several signers may share a key set.
  const named =
    issuer === undefined
      ? undefined
      : await call.read((entities) => entities.find(externalJwtSigner, equals(stringField('issuer'), issuer)));
  const signer = signerId === undefined || named?.id === signerId ? named : undefined;
  const { value: subject, fault } = await call.core.tokens.verify(token, signer);
  if (signer && subject !== undefined) return { proof: { signer, subject }, claims: token.claims };
  return { refusal: { reason: fault ?? 'issuer', signerId: signer?.id } };
};

/** True if the proof is for this identity and by this signer, and the signer is unchanged since the token was verified. */
export const proves = (proof: TokenProof, current: Signer, owner: Owner): boolean =>
  isUnchanged(proof, current) && isOf(proof, owner) && mayVouchFor(current, owner);

export const isUnchanged = ({ signer }: TokenProof, current: Signer): boolean =>
  current.id === signer.id && current.version === signer.version;

const isOf = ({ signer, subject }: TokenProof, { id, externalId }: Owner): boolean => {
  if (!signer.useExternalId) return id === subject;
  return externalId === subject || (signer.ignoreExternalIdCase === true && isSameFolded(externalId, subject));
};

const isSameFolded = (externalId: string | null, subject: string): boolean =>
  externalId !== null && foldCase(externalId) === foldCase(subject);

/** The identity that a proof names. If several external ids differ only in case, the one that matches exactly, or undefined. */
export const namedBy = async (entities: Entities, { signer, subject }: TokenProof): Promise<RowOf<typeof identity> | undefined> => {
  if (!signer.useExternalId) return entities.get(identity, subject);
  const exact = await entities.find(identity, equals(stringField('externalId'), subject));
  if (exact || !signer.ignoreExternalIdCase) return exact;
  // Compared again below: an earlier release that changes an external id leaves these keys stale, because it does not know them.
  const keyed = await entities.list(identity, { where: has('externalIdKeys', foldCase(subject)), limit: MAX_ALIKE });
  const [found, other] = keyed.filter(({ externalId }) => isSameFolded(externalId, subject));
  return other || keyed.length === MAX_ALIKE ? undefined : found;
};

/**
 * Selects the identities that a signer might confuse with one that has this external id: those with the same one, and those with one that
 * differs in case alone if a signer ignores that, or if they are out of reach for a holder of these permissions; by default, if they have
 * any.
 */
export const confusableWith = async (entities: Entities, externalId: string, held: readonly string[] = []): Promise<Predicate> => {
  const folded = has('externalIdKeys', foldCase(externalId));
  const ignoresCase = await entities.find(externalJwtSigner, equals(booleanField('ignoreExternalIdCase'), true));
  return or(equals(stringField('externalId'), externalId), ignoresCase ? folded : and(folded, protectedFrom(held)));
};

/** Number of matching identities at which a name counts as ambiguous. */
const MAX_ALIKE = 10;

/**
 * The proof, among the tokens of a call, that a signer vouches for an identity as its second factor. If tokens were presented but none of
 * them proves it, emits a failed authentication. Without a proof, the answer gets the challenge for one.
 * @param own as for `externalTokensOf`
 */
export const secondFactorOf = async (
  call: Pick<Call, 'core' | 'credentials' | 'read' | 'answerHeaders' | 'observation' | 'requestId'>,
  signerId: string,
  owner: Owner,
  own?: string,
): Promise<TokenProof | undefined> => {
  const refusals: TokenRefusal[] = [];
  for (const text of externalTokensOf(call, own)) {
    const { proof, refusal = mismatch(proof, signerId, owner) } = await proofOf(call, text);
    if (!refusal) return proof;
    reportRefusal(call, { ...refusal, identityId: owner.id });
    refusals.push(refusal.reason);
  }
  if (refusals.length > 0) call.observation?.authentication('ext-jwt', 'failed', owner.id);
  await challengeSecondary(call, signerId, refusals);
  return undefined;
};

const mismatch = (proof: TokenProof | undefined, signerId: string, owner: Owner): Refusal | undefined => {
  if (!proof) return undefined;
  if (proof.signer.id !== signerId) return { reason: 'other-signer', signerId: proof.signer.id };
  if (!isOf(proof, owner)) return { reason: 'other-identity', signerId };
  return mayVouchFor(proof.signer, owner) ? undefined : { reason: 'policy', signerId };
};
