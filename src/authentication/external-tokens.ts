import { externalJwtSigner } from '../api/external-jwt-signers.ts';
import type { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import type { TokenProof } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import { equals, stringField } from '../query/index.ts';
import { bearerTokens, readToken, stringClaim } from '../tokens/token.ts';

type Signer = RowOf<typeof externalJwtSigner>;

/** The external tokens that come with a call, as they claim to be. */
export const externalTokensOf = ({ credentials }: Pick<Call, 'credentials'>) =>
  credentials.kind === 'token'
    ? bearerTokens(credentials.authorization)
        .map(readToken)
        .filter((token) => token !== undefined)
    : [];

type Token = ReturnType<typeof externalTokensOf>[number];

/**
 * Verifies a token against the signer of its issuer; undefined if it proves nothing. Outside of transactions, because keys may have to be fetched.
 */
export const proofOf = async (call: Pick<Call, 'core' | 'read'>, token: Token): Promise<TokenProof | undefined> => {
  const issuer = stringClaim(token.claims, 'iss');
  const signer =
    issuer === undefined
      ? undefined
      : await call.read((entities) => entities.find(externalJwtSigner, equals(stringField('issuer'), issuer)));
  const subject = await call.core.tokens.verify(token, signer);
  return signer && subject !== undefined ? { signer, subject } : undefined;
};

/** Whether the proof is of this identity, by this signer, which is to the revision as it was when the token was checked. */
export const proves = (
  { signer: then, subject }: TokenProof,
  now: Signer,
  { id, externalId }: Pick<RowOf<typeof identity>, 'id' | 'externalId'>,
): boolean => now.id === then.id && now.version === then.version && (now.useExternalId ? externalId : id) === subject;
