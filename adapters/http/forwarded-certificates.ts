/** Parses the header formats in which proxies forward client certificates. */
import { readPem } from '../../src/adapter-kit.ts';

/** Maximum number of certificates per request; no valid chain is longer. */
export const MAX_CERTIFICATES = 11;

const BYTE_SEQUENCE = /^:([A-Za-z0-9+/]+={0,2}):$/;

/**
 * Reads the certificates in a header value: byte sequences (RFC 9440), percent-encoded PEM, or an element of Envoy's
 * `x-forwarded-client-cert`.
 * @returns DER; no certificates if any part is malformed
 */
export const certificatesIn = (value: string): readonly Uint8Array[] => {
  if (value.startsWith(':')) return sequencesIn(value);
  return pemIn(/^[A-Za-z]+=/.test(value) ? pemOfElement(value) : value);
};

const sequencesIn = (value: string): readonly Uint8Array[] => {
  const sequences = value.split(',').map((item) => BYTE_SEQUENCE.exec(item.trim())?.[1]);
  return sequences.every((base64) => base64 !== undefined) ? sequences.map((base64) => new Uint8Array(Buffer.from(base64, 'base64'))) : [];
};

/** PEM blocks without other text. Files may contain such text, but proxies never send any. */
const ONLY_BLOCKS = /^\s*-----BEGIN [\s\S]*-----\s*$/;

const pemIn = (value: string): readonly Uint8Array[] => {
  try {
    const pem = decodeURIComponent(value);
    return ONLY_BLOCKS.test(pem) ? (readPem(pem, { labels: ['CERTIFICATE'], maxBlocks: MAX_CERTIFICATES }).value ?? []) : [];
  } catch {
    return []; // malformed percent-encoding
  }
};

const VALUE = String.raw`"(?:[^"\\]|\\.)*"|[^;,"]*`;
const ELEMENT = new RegExp(`^[a-z]+=(?:${VALUE})(?:;[a-z]+=(?:${VALUE}))*$`, 'i');
/** Matches the pairs of an element. A quoted value, such as a subject, may contain text that looks like a pair. */
const PAIRS = new RegExp(`([a-z]+)=(${VALUE})(?:;|$)`, 'gi');

/**
 * The percent-encoded PEM in an element: the chain if it has one, otherwise the certificate. Empty if there are several elements, because
 * the client may have sent the earlier ones. Nothing from the first `URI` or `DNS` on is read: Envoy copies these names from the client's
 * certificate without quoting them, so that a client can write pairs of its own into them.
 */
const pemOfElement = (value: string): string => {
  if (!ELEMENT.test(value)) return '';
  const pairs = [...value.matchAll(PAIRS)].map(([, name = '', quoted = '']) => [name.toLowerCase(), quoted] as const);
  const end = pairs.findIndex(([name]) => name === 'uri' || name === 'dns');
  const trusted = new Map(end === -1 ? pairs : pairs.slice(0, end));
  return (trusted.get('chain') ?? trusted.get('cert') ?? '').replaceAll('"', '');
};
