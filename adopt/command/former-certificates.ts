/** Facts about the former controller in its certificates. */
import { X509Certificate } from 'node:crypto';
import { CONTROLLER_ID } from '../../src/contract/wire/known-controller.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The common name of the first certificate, if a controller can have it as its id. */
export const commonNameIn = (pem: string): string | undefined => {
  try {
    // Several common names are listed; the last one counts.
    const name = [new X509Certificate(pem).toLegacyObject().subject.CN].flat().at(-1);
    return name !== undefined && CONTROLLER_ID.test(name) ? name : undefined;
  } catch {
    return undefined; // reported where the certificate is used
  }
};

/** The trust domain of the first SPIFFE id in the certificates. */
export const trustDomainIn = (pem: string): string | undefined => {
  for (const [text] of pem.matchAll(CERTIFICATE)) {
    const [, domain] = /URI:spiffe:\/\/([^/,\s]+)/.exec(namesOfCertificate(text)) ?? [];
    if (domain !== undefined) return domain;
  }
  return undefined;
};

const namesOfCertificate = (pem: string): string => {
  try {
    return new X509Certificate(pem).subjectAltName ?? '';
  } catch {
    return ''; // reported where the certificate is used
  }
};
