import type { enrolling } from '../../../api/enrolling.ts';
import { authPolicy, externalJwtSigner, identity } from '../../../api/kinds.ts';
import type { OutputOf, RowOf } from '../../../api/kit/index.ts';
import { confusableWith, externalTokensOf, isUnchanged, type Proof, proofOf } from '../../../authentication/external-tokens.ts';
import { reportRefusal } from '../../../authentication/token-refusals.ts';
import { isPolicyOfProtected } from '../../../authentication/vouching.ts';
import type { TokenProof } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, explained } from '../../../errors/index.ts';
import { readRequest } from '../../../pki/request.ts';
import { newRow } from '../../../resources/merge.ts';
import { newId } from '../../../storage/ids.ts';
import { claimedIdentity, requireLegal, withoutValues } from './claimed-identity.ts';
import { issueClientCertificate } from './client-certificate.ts';
import type { ListControllers } from './method.ts';

type Signer = RowOf<typeof externalJwtSigner>;
type Verified = Extract<Proof, { readonly proof: TokenProof }>;

interface Given {
  /** The header `ziti-token-issuer-id`. If it was sent more than once, the first value counts. */
  readonly issuerId?: string | undefined;
  /** Without it, the new identity logs in with tokens of the signer. */
  readonly clientCsr?: string | undefined;
}

/**
 * Creates an identity for the bearer of a token of an external JWT signer: with the name, the role attributes and the external id that the token claims, and
 * with a certificate of the network if it sent a certificate request. It never becomes an administrator. The token is verified as at a login, with and
 * without a named signer (GHSA-4h58-w989-xgg4), and nothing of it appears in an error.
 * @throws ApiError `INVALID_ENROLLMENT_TOKEN`, `ENROLLMENT_IDENTITY_ALREADY_ENROLLED`, `INVALID_ENROLLMENT_NOT_ALLOWED` with the field of the signer,
 * `COULD_NOT_PROCESS_CSR`, `COULD_NOT_VALIDATE` with the field of the identity, `SERVER_TOO_MANY_REQUESTS`
 */
export const enrollByToken = async (
  call: Call,
  { issuerId = '', clientCsr = '' }: Given,
  listControllers: ListControllers,
): Promise<OutputOf<(typeof enrolling)['operations']['token']>> => {
  const { proof, claims } = await verifiedToken(call, issuerId.split(',', 1)[0]?.trim() || undefined);
  const claimed = claimedIdentity(proof, claims);
  const id = newId(call.core.platform.random);
  const prepare = async () => {
    const request = clientCsr === '' ? undefined : await readRequest(clientCsr);
    const check = async (entities: Entities) => {
      await requireAllowed(entities, proof, clientCsr === '' ? 'enrollToTokenEnabled' : 'enrollToCertEnabled');
      if (clientCsr !== '' && !request) throw new ApiError('COULD_NOT_PROCESS_CSR');
      await requireLegal(entities, claimed);
    };
    // Checked first without a write permit: otherwise, callers with valid tokens that enroll nobody could keep writers busy.
    await call.read(check);
    const controllers = await listControllers(call);
    return { check, controllers, issued: request && (await issueClientCertificate(call, request, id)) };
  };
  const { check, controllers, issued } = clientCsr === '' ? await prepare() : await call.core.enrollments.run(prepare, call);
  await call.write(async (entities) => {
    await check(entities);
    await withoutValues(() => entities.insert(identity, newRow(identity, claimed, { id })));
    await issued?.add(entities, { identityId: id });
  });
  return { ...(issued ? { ca: issued.ca, cert: issued.cert } : {}), ...controllers };
};

/** The first token of the call that an enabled signer vouches for. The controller's own tokens are none, even if a signer trusts its keys. */
const verifiedToken = async (call: Call, signerId: string | undefined): Promise<Verified> => {
  for (const text of externalTokensOf(call)) {
    if (await call.core.provider?.keys.verify(text)) continue;
    const verified = await proofOf(call, text, signerId);
    if (verified.proof) return verified;
    reportRefusal(call, verified.refusal);
  }
  throw explained('INVALID_ENROLLMENT_TOKEN', NOT_ACCEPTED);
};

const NOT_ACCEPTED =
  'Authorization must hold a bearer token that an enabled external JWT signer accepts: of its issuer, for its audience, unexpired, and signed by its key';

const PATHS = {
  enrollToCertEnabled: 'certificate requests',
  enrollToTokenEnabled: 'tokens alone',
} as const satisfies Partial<Record<keyof Signer, string>>;

/** Checks in a transaction that the bearer of a token is unknown, and that the signer and its auth policy allow it to enroll. */
const requireAllowed = async (entities: Entities, proof: TokenProof, path: keyof typeof PATHS): Promise<void> => {
  const signer = await entities.get(externalJwtSigner, proof.signer.id);
  if (!signer || !isUnchanged(proof, signer)) throw explained('INVALID_ENROLLMENT_TOKEN', NOT_ACCEPTED);
  if (await entities.find(identity, await confusableWith(entities, proof.subject)))
    throw new ApiError('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
  if (!signer[path]) throw notAllowed(path, `the signer of the token does not enroll by ${PATHS[path]}`, 'false');
  if (signer.isWrittenByDelegate && (await isPolicyOfProtected(entities, [signer.enrollAuthPolicyId])))
    throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities is that of identities with rights', '');
  const { cert, extJwt } = (await entities.require(authPolicy, signer.enrollAuthPolicyId)).primary;
  if (path === 'enrollToCertEnabled') {
    if (!cert.allowed) throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities does not allow certificates', '');
    return;
  }
  if (!extJwt.allowed || !(extJwt.allowedSigners.length === 0 || extJwt.allowedSigners.includes(signer.id)))
    throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities does not allow tokens of the signer', '');
  if (!signer.useExternalId)
    throw notAllowed('useExternalId', 'the signer names identities by id, so the new identity could never log in with its tokens', 'false');
};

const notAllowed = (field: keyof Signer, reason: string, value: string): ApiError =>
  new ApiError('INVALID_ENROLLMENT_NOT_ALLOWED', { cause: { field, reason, value } });
