/** The expiry of certificates: just enough DER (X.690) to read their subject and validity (RFC 5280, section 4.1). */

const DAY_MS = 86_400_000;
/** Certificates and tokens that end within this time are marked. */
const SOON_MS = 30 * DAY_MS;

/** The time until a date, in ms; negative after it. */
export const timeUntil = (date: string): number => Date.parse(date) - Date.now();

/** True for what ends soon, or has ended. */
export const endsSoon = (date: string): boolean => timeUntil(date) < SOON_MS;

export interface CertificateEnd {
  /** The common name; empty if there is none. */
  readonly commonName: string;
  /** RFC 3339 */
  readonly endsAt: string;
}

interface Element {
  readonly tag: number;
  readonly contents: Uint8Array;
}

const COMMON_NAME = '85,4,3';
const CONTEXT_0 = 0xa0;
const UTC_TIME = 0x17;

/** The consecutive elements in some bytes, up to the first that is not valid DER. */
const elementsIn = (bytes: Uint8Array): readonly Element[] => {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
    if (lengthBytes > 4 || start + length > bytes.length) return found;
    found.push({ tag, contents: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
};

const within = (element: Element | undefined): readonly Element[] => (element ? elementsIn(element.contents) : []);
const textIn = (element: Element | undefined): string => new TextDecoder().decode(element?.contents);

/** A UTCTime has a year of two digits, from 1950 to 2049 (RFC 5280, section 4.1.2.5.1). */
const timeIn = (element: Element | undefined): string | undefined => {
  const text = textIn(element);
  const century = Number(text.slice(0, 2)) < 50 ? '20' : '19';
  const generalizedTime = element?.tag === UTC_TIME ? century + text : text;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(generalizedTime) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
};

const endIn = (certificate: Element): readonly CertificateEnd[] => {
  const fields = within(within(certificate)[0]);
  const [, , , validity, subject] = fields[0]?.tag === CONTEXT_0 ? fields.slice(1) : fields;
  const endsAt = timeIn(within(validity)[1]);
  const names = within(subject).flatMap(within).map(within);
  const commonName = textIn(names.find(([type]) => type?.contents.join() === COMMON_NAME)?.[1]);
  return endsAt === undefined ? [] : [{ commonName, endsAt }];
};

const decoded = (base64: string): Uint8Array => Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));

/** The expiry of the first certificate in a PEM text; empty if it cannot be read. */
export const endOfPem = (pem: string): readonly CertificateEnd[] => {
  const [, base64] = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem) ?? [];
  const [certificate] = base64 === undefined ? [] : elementsIn(decoded(base64));
  return certificate ? endIn(certificate) : [];
};

/** The expiry of each certificate in a certs-only PKCS#7 in base64 (RFC 5652, section 5.1). */
export const endsOfPkcs7 = (base64: string): readonly CertificateEnd[] => {
  const [, explicit] = within(elementsIn(decoded(base64))[0]);
  const signed = within(within(explicit)[0]);
  return within(signed.find(({ tag }) => tag === CONTEXT_0)).flatMap(endIn);
};
