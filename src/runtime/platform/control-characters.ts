import { copyText } from './copy-text.ts';

/** Control characters, except tabs and line feeds. */
const CONTROL = /[\0-\x08\x0B-\x1F\x7F-\x9F]/;

/** The same for a UTF-16 unit. */
const isControl = (unit: number): boolean => (unit < 0x20 && unit !== 0x09 && unit !== 0x0a) || (unit >= 0x7f && unit <= 0x9f);

const REPLACEMENT = 0xfffd;
const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });

/**
 * The text with U+FFFD in place of control characters, because terminals would act on them; the same text if it has none. Megabytes of
 * control characters take milliseconds: `replace` would take a second.
 */
export const withoutControls = (text: string): string => {
  if (!CONTROL.test(text)) return text;
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = isControl(text.charCodeAt(i)) ? REPLACEMENT : text.charCodeAt(i);
  return utf16.decode(units);
};

/**
 * Copies the beginning of an untrusted text, without control characters. A text that is not longer is not copied: it must not be part of a
 * longer one itself (see `copyText`).
 * @param maxLength UTF-16 units
 */
export const beginningOf = (text: string, maxLength: number): string =>
  withoutControls(text.length > maxLength ? copyText(text, maxLength) : text);
