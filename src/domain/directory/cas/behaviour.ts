import { ca } from '../../../api/cas.ts';
import { writtenByDelegate } from '../../../authentication/vouching.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { invalidField } from '../../../errors/index.ts';
import { type Certificate, KeyUsage, readCertificates } from '../../../pki/certificate.ts';
import { pemFaultText, unknownCriticalText } from '../../../pki/faults.ts';
import { keyWeakness, signatureWeakness } from '../../../pki/strength.ts';
import { equals, stringField } from '../../../query/index.ts';
import { checkClaim } from './claims.ts';
import { subjectHashOf } from './trust.ts';

/** The fields that determine whom the certificates of a CA prove. */
const DECIDES = ['certPem', 'externalIdClaim', 'isAuthEnabled'] as const;

/** A new CA is not trusted until it is verified. Its certificate never changes. */
export const caBehaviour = behaviour(ca, {
  prepare: async (call, verb, { certPem }) => {
    if (verb !== 'create') return {};
    const { fingerprint, subjectKey } = await authorityIn(String(certPem));
    return { fingerprint, subjectHash: subjectHashOf(subjectKey), verificationToken: call.core.platform.random.uuid() };
  },
  check: async (entities, after, before, call) => {
    if (after.externalIdClaim && after.externalIdClaim !== before?.externalIdClaim) checkClaim(after.externalIdClaim);
    const duplicates = before ? 0 : await entities.count(ca, equals(stringField('fingerprint'), after.fingerprint ?? ''));
    if (duplicates > 0) throw invalidField('certPem', 'this certificate authority is there already', undefined);
    return writtenByDelegate(call, DECIDES, after, before);
  },
});

/**
 * The first certificate of a PEM text.
 * @throws ApiError `COULD_NOT_VALIDATE` if there is none, or if it may not sign others, is too weak, or could never be verified (`validateChain`)
 */
const authorityIn = async (pem: string): Promise<Certificate> => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(pem);
  if (!certificate) throw invalidField('certPem', `certPem must be certificates in PEM: ${pemFaultText(fault)}`, undefined);
  const { isCa, keyUsage = KeyUsage.keyCertSign, unknownCritical } = certificate;
  if (!isCa || !(keyUsage & KeyUsage.keyCertSign))
    throw invalidField('certPem', 'the first certificate must be that of a certificate authority, which may sign others', undefined);
  const [unknown] = unknownCritical;
  if (unknown !== undefined)
    throw invalidField('certPem', `the certificate of the authority has ${unknownCriticalText(unknown)}`, undefined);
  requireStrong(certificate);
  return certificate;
};

/** Also rejects a root with a weak signature: the signature proves nothing, but clients reject such a root. @throws ApiError `COULD_NOT_VALIDATE` */
const requireStrong = ({ parsed }: Certificate): void => {
  const weakness = keyWeakness(parsed) ?? signatureWeakness(parsed);
  if (weakness) throw invalidField('certPem', `the certificate of the authority is too weak: ${weakness}`, undefined);
};
