import type { Certificate } from './certificate.ts';
import { base64Lines } from './pem.ts';
import { x509 } from './x509.ts';

/** Certificates without a signature over them (a certs-only PKCS#7, RFC 7030, section 4.1.3), in base64 lines. */
export const certsOnly = async (certificates: readonly Certificate[]): Promise<string> => {
  const { X509Certificates } = await x509();
  return `${base64Lines(new Uint8Array(new X509Certificates(certificates.map(({ parsed }) => parsed)).export('raw')))}\n`;
};
