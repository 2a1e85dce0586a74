import { Malformed } from './malformed.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes a string as UTF-8. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/**
 * Decodes UTF-8.
 * @throws Malformed
 */
export const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Malformed('a text is not UTF-8');
  }
};

/** Concatenates byte arrays. */
export const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
};

/** Converts milliseconds to nanoseconds, the unit of routers. */
export const nanoseconds = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds)) * 1_000_000n;
