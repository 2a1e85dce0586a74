import { writtenByDelegate } from '../../call/authentication/vouching.ts';
import { behaviour } from '../../call/behaviour.ts';
import { ca } from '../../contract/api/cas.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { type Certificate, KeyUsage, readCertificates } from '../../crypto/pki/certificate.ts';
import { pemFaultText, unknownCriticalText } from '../../crypto/pki/faults.ts';
import { keyWeakness, signatureWeakness } from '../../crypto/pki/strength.ts';
import { equals, stringField } from '../../query/index.ts';
import { checkClaim } from './claims.ts';
import { subjectHashOf } from './trust.ts';

/** The fields that determine the identities that the certificates of a CA authenticate. */
const PROOF_FIELDS = ['certPem', 'externalIdClaim', 'isAuthEnabled'] as const;

/** A new CA is not trusted until it is verified. Its certificate never changes. */
export const caBehaviour = behaviour(ca, {
  prepare: async (call, verb, { certPem }) => {
    if (verb !== 'create') return {};
    const { fingerprint, subjectKey } = await readAuthority(String(certPem));
    return { fingerprint, subjectHash: subjectHashOf(subjectKey), verificationToken: call.core.platform.random.uuid() };
  },
  check: async (entities, after, before, call) => {
    if (after.externalIdClaim && after.externalIdClaim !== before?.externalIdClaim) checkClaim(after.externalIdClaim);
    const duplicates = before ? 0 : await entities.count(ca, equals(stringField('fingerprint'), after.fingerprint ?? ''));
    if (duplicates > 0) throw invalidField('certPem', 'this certificate authority already exists', undefined);
    return writtenByDelegate(call, PROOF_FIELDS, after, before);
  },
});

/**
 * The first certificate of a PEM text.
 * @throws ApiError `COULD_NOT_VALIDATE` if there is none, or if it may not sign others, is too weak, or could never be verified
 * (`validateChain`)
 */
const readAuthority = async (pem: string): Promise<Certificate> => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(pem);
  if (!certificate) throw invalidField('certPem', `certPem must contain certificates in PEM: ${pemFaultText(fault)}`, undefined);
  const { isCa, keyUsage = KeyUsage.keyCertSign, unknownCritical } = certificate;
  if (!isCa || !(keyUsage & KeyUsage.keyCertSign))
    throw invalidField('certPem', 'the first certificate must belong to a certificate authority that may sign certificates', undefined);
  const [unknown] = unknownCritical;
  if (unknown !== undefined)
    throw invalidField('certPem', `the certificate of the authority has ${unknownCriticalText(unknown)}`, undefined);
  requireStrong(certificate);
  return certificate;
};

/**
 * Also rejects a root with a weak signature, because clients do, although the signature of a root proves nothing.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
const requireStrong = ({ parsed }: Certificate): void => {
  const weakness = keyWeakness(parsed) ?? signatureWeakness(parsed);
  if (weakness) throw invalidField('certPem', `the certificate of the authority is too weak: ${weakness}`, undefined);
};
