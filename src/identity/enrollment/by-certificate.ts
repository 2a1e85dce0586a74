import { confusableWith } from '../../call/authentication/external-tokens.ts';
import type { Call } from '../../call/call.ts';
import { newRow } from '../../call/resources/merge.ts';
import { authenticator, ca, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { type Presented, readPresented } from '../../crypto/pki/presented.ts';
import { ALL } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';
import { requireFirstOfMethod } from '../authenticators/behaviour.ts';
import { certificateFields, isInUse } from '../authenticators/certificates.ts';
import { externalIdOf } from '../cas/claims.ts';
import { freeName, identityNameOf } from '../cas/names.ts';
import { type Authority, authoritiesAbove, authorityFor } from '../cas/trust.ts';

type Ca = RowOf<typeof ca>;

/**
 * Adds a certificate to an identity as its authenticator.
 * @throws ApiError `CERT_IN_USE`, `MAX_AUTHENTICATOR_METHODS_REACHED`
 */
export const addCertificate = async (entities: Entities, identityId: string, { leaf }: Presented, authority: Authority): Promise<void> => {
  if (await isInUse(entities, leaf.fingerprint)) throw new ApiError('CERT_IN_USE');
  await requireFirstOfMethod(entities, { identityId, method: 'cert' });
  await entities.insert(authenticator, newRow(authenticator, { identityId, method: 'cert' }, certificateFields(leaf, { by: authority })));
};

/**
 * Creates an identity for the holder of a certificate of a CA that allows auto-enrollment. The identity then logs in with this certificate
 * or, if the CA has an external id claim, with any certificate of the CA that has the same external id.
 * @throws ApiError `ENROLLMENT_NO_VALID_CAS`, `CERT_FAILED_VALIDATION`, `MISSING_CERT_CLAIM`, `CERT_IN_USE`; `COULD_NOT_VALIDATE` for
 * `externalId` if another identity has it
 */
export const becomeIdentity = async (
  call: Call,
  { name: requestedName }: { readonly name?: string | undefined },
): Promise<Record<string, never>> => {
  const { platform, enrollments } = call.core;
  if (!(await call.read((entities) => entities.find(ca, ALL)))) throw new ApiError('ENROLLMENT_NO_VALID_CAS');
  const presented = await readPresented(call.peerCertificates);
  const authority = presented && (await enrollments.run(() => enrollerOf(call, presented), call));
  if (!authority) throw new ApiError('CERT_FAILED_VALIDATION');
  await call.write(async (entities) => {
    const row = await entities.get(ca, authority.row.id);
    if (!row || !allowsAutoEnrollment(row)) throw new ApiError('CERT_FAILED_VALIDATION');
    if (await isInUse(entities, presented.leaf.fingerprint)) throw new ApiError('CERT_IN_USE');
    const externalId = claimedExternalId(row, presented);
    if (externalId !== null && (await entities.find(identity, await confusableWith(entities, externalId))))
      throw invalidField('externalId', 'externalId must be unique', externalId);
    const id = newId(platform.random);
    const { commonName } = presented.leaf;
    const preferredName = identityNameOf(row.identityNameFormat, {
      caName: row.name,
      caId: row.id,
      commonName,
      requestedName,
      identityId: id,
    });
    const name = await freeName(entities, preferredName, id);
    await entities.insert(identity, newRow(identity, { name, isAdmin: false, roleAttributes: row.identityRoles, externalId }, { id }));
    if (externalId === null) await addCertificate(entities, id, presented, { ...authority, row });
  });
  return {};
};

const enrollerOf = async (call: Call, presented: Presented): Promise<Authority | undefined> => {
  const authorities = await call.read((entities) => authoritiesAbove(entities, presented, 'isAutoCaEnrollmentEnabled'));
  return authorityFor(presented, authorities, { now: call.core.platform.clock.now() });
};

const allowsAutoEnrollment = ({ isVerified, isAutoCaEnrollmentEnabled }: Ca): boolean => isVerified && isAutoCaEnrollmentEnabled;

/**
 * The external id in a certificate; null if the CA has no external id claim.
 * @throws ApiError `MISSING_CERT_CLAIM`
 */
const claimedExternalId = ({ externalIdClaim }: Ca, { leaf }: Presented): string | null => {
  if (externalIdClaim === null) return null;
  const externalId = externalIdOf(leaf, externalIdClaim);
  if (externalId === undefined) throw new ApiError('MISSING_CERT_CLAIM');
  return externalId;
};
