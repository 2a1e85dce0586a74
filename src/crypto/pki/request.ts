import type { Name } from '@peculiar/x509';
import { type AlternativeNames, alternativeNames, MAX_ELEMENTS } from './certificate.ts';
import { countElements } from './der.ts';
import { readPem } from './pem.ts';
import { keyWeakness } from './strength.ts';
import { x509 } from './x509.ts';

/** The used fields of a certificate request (RFC 2986). The profile determines everything else. */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: Name;
  /** DER of the subject's public key. */
  readonly publicKey: ArrayBuffer;
  /** Undefined if there is no common name, or more than one. */
  readonly commonName: string | undefined;
}

/** Maximum length of a subject, in UTF-16 units: it is copied into certificates and shown in lists. */
const MAX_SUBJECT = 1024;

/** True if every store accepts the name and every client can display it: values that are not text are shown as `=#<hex>`. */
const isDisplayable = (subject: string): boolean =>
  subject.length <= MAX_SUBJECT && !subject.includes('\0') && subject.isWellFormed() && !subject.includes('=#');

/**
 * Parses a certificate request in PEM: a single block, signed with its own key, which must be of a supported type.
 * @returns undefined for any other text; the reason is not reported to clients
 */
export const readRequest = async (pem: string): Promise<CertificateRequest | undefined> => {
  const { value: [der] = [] } = readPem(pem, { labels: ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'], maxBlocks: 1 });
  if (!der || countElements(der, MAX_ELEMENTS) > MAX_ELEMENTS) return undefined;
  const library = await x509();
  try {
    const request = new library.Pkcs10CertificateRequest(der);
    if (keyWeakness(request) || !(await request.verify())) return undefined;
    if (!isDisplayable(request.subject)) return undefined;
    const commonNames = request.subjectName.getField('CN');
    return {
      subject: request.subjectName,
      publicKey: request.publicKey.rawData,
      commonName: commonNames.length === 1 ? commonNames[0] : undefined,
      ...alternativeNames(request.extensions.find((extension) => extension instanceof library.SubjectAlternativeNameExtension)),
    };
  } catch {
    return undefined; // the library throws all kinds of errors for invalid bytes
  }
};
