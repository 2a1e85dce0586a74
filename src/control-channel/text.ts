import { Malformed } from './malformed.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Decodes UTF-8. @throws Malformed */
export const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Malformed('a text is not UTF-8');
  }
};
