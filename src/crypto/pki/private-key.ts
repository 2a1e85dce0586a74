import { element, elementsIn, OCTET_STRING, SEQUENCE } from './der.ts';
import { pemFaultText } from './faults.ts';
import { type PemFault, type Reading, readPem, writePem } from './pem.ts';

const PKCS8 = 'PRIVATE KEY';
/** The conversion of private keys to PKCS#8 (RFC 5958), by the label of their block. */
const CONVERSIONS: Readonly<Record<string, (der: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | undefined>> = {
  [PKCS8]: (der) => der,
  // PKCS#1 (RFC 8017, appendix A.1.2)
  'RSA PRIVATE KEY': (der) => wrapKey([...RSA_ENCRYPTION, NULL], der),
  // SEC 1 (RFC 5915)
  'EC PRIVATE KEY': (der) => {
    const curve = curveOf(der);
    return curve && wrapKey([...EC_PUBLIC_KEY, curve], der);
  },
};

const VERSION_0 = Uint8Array.of(0x02, 0x01, 0x00);
const NULL = Uint8Array.of(0x05, 0x00);
/** 1.2.840.113549.1.1.1 */
const RSA_ENCRYPTION = [Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01)];
/** 1.2.840.10045.2.1 */
const EC_PUBLIC_KEY = [Uint8Array.of(0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01)];
/** `[0]`, the tag of the curve in SEC 1. */
const EXPLICIT_CURVE = 0xa0;

const wrapKey = (algorithm: readonly Uint8Array[], key: Uint8Array): Uint8Array<ArrayBuffer> =>
  element(SEQUENCE, VERSION_0, element(SEQUENCE, ...algorithm), element(OCTET_STRING, key));

/** The curve of a key in SEC 1, as the DER of its OID. */
const curveOf = (der: Uint8Array): Uint8Array | undefined => elementsIn(der)?.find(({ tag }) => tag === EXPLICIT_CURVE)?.contents;

const BLOCK = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY)-----[^-]*-----END \1-----/g;

/** Maximum number of private keys that are examined in a text. */
const MAX_KEYS = 1;

/**
 * Reads the private key in a PEM text as PKCS#8 DER. PKCS#1 (`RSA PRIVATE KEY`) and SEC 1 (`EC PRIVATE KEY`) are converted. Other blocks
 * are skipped, because files often also contain the parameters of the curve, or the certificate.
 */
export const readPrivateKey = (text: string): Reading<Uint8Array<ArrayBuffer>, PemFault> => {
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length > MAX_KEYS) return { fault: 'tooMany' };
  const [block] = blocks;
  if (!block) return { fault: text.includes('-----BEGIN ') ? 'anotherType' : 'noPem' };
  const [pem, label = ''] = block;
  const convert = CONVERSIONS[label];
  if (!convert) return { fault: 'anotherType' };
  const { value: [der] = [], fault = 'malformed' } = readPem(pem, { labels: [label], maxBlocks: MAX_KEYS });
  const converted = der && convert(der);
  return converted ? { value: converted } : { fault };
};

/**
 * Converts a private key in PEM to PKCS#8. Accepts PKCS#8, PKCS#1 and SEC 1, unencrypted.
 * @throws TypeError, whose message does not contain the key
 */
export const toPkcs8 = (text: string): string => {
  const { value, fault } = readPrivateKey(text);
  if (!value)
    throw new TypeError(`the private key must be a single unencrypted PEM block (PKCS#8, PKCS#1 or SEC 1): ${keyFaultText(fault)}`);
  return writePem(PKCS8, value);
};

/** Describes why a text does not contain a usable private key. */
export const keyFaultText = (fault: PemFault): string => pemFaultText(fault, { label: PKCS8, maxBlocks: MAX_KEYS });
