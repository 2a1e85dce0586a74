import type { TokenProof } from '../../call/actor.ts';
import { confusableWith, externalTokensOf, isUnchanged, type Proof, proofOf } from '../../call/authentication/external-tokens.ts';
import { reportRefusal } from '../../call/authentication/token-refusals.ts';
import { isPolicyOfProtected } from '../../call/authentication/vouching.ts';
import type { Call } from '../../call/call.ts';
import { newRow } from '../../call/resources/merge.ts';
import type { enrolling } from '../../contract/api/enrolling.ts';
import { authPolicy, externalJwtSigner, identity } from '../../contract/api/kinds.ts';
import type { OutputOf, RowOf } from '../../contract/api/kit/index.ts';
import { PRINTABLE } from '../../contract/api/shared.ts';
import { ApiError, explained, invalidField } from '../../contract/errors/index.ts';
import { readRequest } from '../../crypto/pki/request.ts';
import { type Claims, claimAt, textIn } from '../../crypto/tokens/token.ts';
import { equals, stringField } from '../../query/index.ts';
import { sortedSet } from '../../query/order.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';
import { issueClientCertificate } from './client-certificate.ts';
import type { ListControllers } from './method.ts';

type Signer = RowOf<typeof externalJwtSigner>;
type Verified = Extract<Proof, { readonly proof: TokenProof }>;

interface TokenEnrollment {
  /** The header `ziti-token-issuer-id`. If it was sent more than once, the first value is used. */
  readonly issuerId?: string | undefined;
  /** Without it, the new identity logs in with tokens of the signer. */
  readonly clientCsr?: string | undefined;
}

/**
 * Creates an identity for the bearer of a token of an external JWT signer, with the claimed name, role attributes and external id, and with
 * a certificate of the network if the request contains a certificate request. The identity is never an administrator. The token is verified
 * as in a login, whether or not the request names a signer (GHSA-4h58-w989-xgg4), and no part of it appears in errors.
 * @throws ApiError `INVALID_ENROLLMENT_TOKEN`, `ENROLLMENT_IDENTITY_ALREADY_ENROLLED`, `INVALID_ENROLLMENT_NOT_ALLOWED` with the field of
 * the signer, `COULD_NOT_PROCESS_CSR`, `COULD_NOT_VALIDATE` with the field of the identity, `SERVER_TOO_MANY_REQUESTS`
 */
export const enrollByToken = async (
  call: Call,
  { issuerId = '', clientCsr = '' }: TokenEnrollment,
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
      await requireValid(entities, claimed);
    };
    // Checked first without a write permit, so that callers whose valid tokens cannot enroll do not keep writers busy.
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

/**
 * The first token of the call that an enabled signer accepts. Tokens of this controller are skipped, even if a signer trusts its keys.
 */
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
  'Authorization must contain a bearer token that an enabled external JWT signer accepts: from its issuer, for its audience, unexpired, and signed with its key';

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
  if (!signer[path]) throw notAllowed(path, `the signer of the token does not allow enrollment by ${PATHS[path]}`, 'false');
  if (signer.isWrittenByDelegate && (await isPolicyOfProtected(entities, [signer.enrollAuthPolicyId])))
    throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities is also used by identities with rights', '');
  const { cert, extJwt } = (await entities.require(authPolicy, signer.enrollAuthPolicyId)).primary;
  if (path === 'enrollToCertEnabled') {
    if (!cert.allowed) throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities does not allow certificates', '');
    return;
  }
  if (!extJwt.allowed || !(extJwt.allowedSigners.length === 0 || extJwt.allowedSigners.includes(signer.id)))
    throw notAllowed('enrollAuthPolicyId', 'the auth policy of enrolled identities does not allow tokens of the signer', '');
  if (!signer.useExternalId)
    throw notAllowed(
      'useExternalId',
      'the signer identifies identities by id, so the new identity could never log in with its tokens',
      'false',
    );
};

const notAllowed = (field: keyof Signer, reason: string, value: string): ApiError =>
  new ApiError('INVALID_ENROLLMENT_NOT_ALLOWED', { cause: { field, reason, value } });

/** The fields of a new identity that its token determines. */
type ClaimedIdentity = Pick<RowOf<typeof identity>, 'name' | 'externalId' | 'roleAttributes' | 'authPolicyId' | 'isAdmin'>;

const UNSET_NAME = externalJwtSigner.fields.enrollNameClaimsSelector.default ?? '';

/**
 * The identity that the claims of a verified token describe.
 * @throws ApiError `INVALID_ENROLLMENT_TOKEN`
 */
const claimedIdentity = ({ signer, subject }: TokenProof, claims: Claims): ClaimedIdentity => {
  if (subject.trim() === '') throw invalidClaim('claimsProperty', 'text that is not blank');
  // Signers that an earlier release stored have no selector yet.
  const name = textIn(claimAt(claims, signer.enrollNameClaimsSelector ?? UNSET_NAME));
  if (name === undefined) throw invalidClaim('enrollNameClaimsSelector', 'text that is not empty');
  const { enrollAttributeClaimsSelector: selector, enrollAuthPolicyId: authPolicyId } = signer;
  const attributes = attributesIn(selector ? claimAt(claims, selector) : undefined);
  if (!attributes) throw invalidClaim('enrollAttributeClaimsSelector', 'text or a list of texts');
  return { name, externalId: subject, roleAttributes: sortedSet(attributes), authPolicyId, isAdmin: false };
};

const invalidClaim = (field: keyof RowOf<typeof externalJwtSigner>, what: string): ApiError =>
  explained('INVALID_ENROLLMENT_TOKEN', `the claim that the signer selects with ${field} must be ${what}`);

/** Role attributes in the value of a claim; undefined if it contains a value that is not text. */
const attributesIn = (value: unknown): readonly string[] | undefined => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  const texts = values.filter((each) => each !== '').map(textIn);
  return texts.includes(undefined) ? undefined : texts.filter((text) => text !== undefined);
};

/**
 * Requires valid role attributes, and a valid name that no identity has. Control characters are refused, because the bearer may control the
 * claims, and terminals of administrators would interpret them.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
const requireValid = async (entities: Entities, claimed: ClaimedIdentity): Promise<void> => {
  for (const field of ['name', 'externalId', 'roleAttributes'] as const)
    if (![claimed[field]].flat().every((text) => PRINTABLE.test(text ?? '')))
      throw invalidField(field, `${field} must not contain control characters`, undefined);
  for (const field of ['name', 'roleAttributes'] as const) {
    const [issue] = identity.fields[field].schema.safeParse(claimed[field]).error?.issues ?? [];
    if (issue) throw invalidField(field, issue.code === 'custom' ? issue.message : `${field} is too long`, undefined);
  }
  if (await entities.find(identity, equals(stringField('name'), claimed.name)))
    throw invalidField('name', 'name must be unique', undefined);
};

/** Runs a write, and removes the refused value from its error, because the value comes from a token. */
const withoutValues = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE' && error.cause && 'field' in error.cause)
      throw invalidField(error.cause.field, error.cause.reason, undefined);
    throw error;
  }
};
