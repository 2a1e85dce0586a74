import { type Certificate, readCertificates } from './certificate.ts';
import { pemFaultText } from './faults.ts';

/** Maximum number of certificates in a text of an authority. */
const MAX_CERTIFICATES = 100;

/**
 * The certificates in a text of an authority.
 * @param rule what is required, to which the error adds the fault: `the roots must be certificates in PEM`
 * @throws TypeError
 */
export const authorityCertificates = async (rule: string, pem: string): Promise<readonly Certificate[]> => {
  const { value, fault } = await readCertificates(pem, MAX_CERTIFICATES);
  if (fault) throw new TypeError(`${rule}: ${pemFaultText(fault, { maxBlocks: MAX_CERTIFICATES })}`);
  return value;
};

/** The first certificate of such a text, which was checked before it was stored. */
export const firstCertificateIn = async (pem: string): Promise<Certificate | undefined> =>
  (await readCertificates(pem, MAX_CERTIFICATES)).value?.[0];
