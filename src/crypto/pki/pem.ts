import { decodeBase64, encodeBase64 } from '../../runtime/platform/base64.ts';
import type { Bytes } from '../../runtime/platform/platform.ts';

/** Why a PEM text (RFC 7468) is rejected. */
export type PemFault = 'noPem' | 'anotherType' | 'malformed' | 'trailingData' | 'tooLarge' | 'tooMany';

/** The result of parsing input: its value, or the reason why it is invalid. Callers phrase the message. */
export type Reading<T, F extends string> =
  | { readonly value: T; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: F };

/** The blocks that a PEM text may contain. */
export interface PemLimits {
  /** Labels that blocks may have, e.g. `CERTIFICATE`. */
  readonly labels: readonly string[];
  /** Maximum number of blocks. */
  readonly maxBlocks: number;
}

/** Maximum size of a block in bytes: ten times that of a typical certificate. */
export const MAX_DER = 16_384;

const BOUNDARY = '-----';
const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*)-----END \1-----/g;

/** Decodes the blocks of a PEM text, at least one. Other text is allowed around blocks (RFC 7468, section 2), but no incomplete block. */
export const readPem = (text: string, { labels, maxBlocks }: PemLimits): Reading<readonly Bytes[], PemFault> => {
  if (text.length > maxBlocks * 2 * MAX_DER) return { fault: 'tooLarge' };
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let end = 0;
  for (const { index, 0: block, 1: label = '', 2: content = '' } of text.matchAll(BLOCK)) {
    if (text.slice(end, index).includes(BOUNDARY)) return { fault: 'trailingData' };
    if (!labels.includes(label)) return { fault: 'anotherType' };
    if (blocks.length === maxBlocks) return { fault: 'tooMany' };
    const der = decodeBase64(content);
    if (!der || !isOneSequence(der)) return { fault: 'malformed' };
    if (der.length > MAX_DER) return { fault: 'tooLarge' };
    blocks.push(der);
    end = index + block.length;
  }
  if (blocks.length === 0) return { fault: 'noPem' };
  return text.slice(end).includes(BOUNDARY) ? { fault: 'trailingData' } : { value: blocks };
};

/**
 * True if the bytes are exactly one DER sequence. Parsers ignore trailing bytes, with which the same certificate would have many
 * fingerprints.
 */
export const isOneSequence = (der: Uint8Array): boolean => {
  const [tag, first] = der;
  if (tag !== 0x30 || first === undefined) return false;
  if (first < 0x80) return der.length === 2 + first;
  const count = first - 0x80;
  if (count < 1 || count > 3 || der.length < 2 + count) return false;
  const length = der.subarray(2, 2 + count).reduce((sum, byte) => sum * 256 + byte, 0);
  return der.length === 2 + count + length && length >= 0x80;
};

/** Encodes bytes in Base64, in lines of 64 characters. */
export const base64Lines = (bytes: Uint8Array): string => encodeBase64(bytes).replace(/.{64}(?=.)/g, '$&\n');

/** Encodes a PEM block, with a line break at the end. */
export const writePem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${base64Lines(der)}\n-----END ${label}-----\n`;
