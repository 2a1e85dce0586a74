import { type Certificate, readCertificates } from './certificate.ts';
import { pemFaultText } from './faults.ts';

/** Maximum number of certificates in a PEM text of an authority. */
const MAX_CERTIFICATES = 100;

/**
 * Reads the certificates in a PEM text of an authority.
 * @param requirement the beginning of the error message, e.g. `the roots must be certificates in PEM`; the fault is appended
 * @throws TypeError
 */
export const readAuthorityCertificates = async (requirement: string, pem: string): Promise<readonly Certificate[]> => {
  const { value, fault } = await readCertificates(pem, MAX_CERTIFICATES);
  if (fault) throw new TypeError(`${requirement}: ${pemFaultText(fault, { maxBlocks: MAX_CERTIFICATES })}`);
  return value;
};

/** Reads the first certificate of such a text, which was validated before it was stored. */
export const readFirstCertificate = async (pem: string): Promise<Certificate | undefined> =>
  (await readCertificates(pem, MAX_CERTIFICATES)).value?.[0];
