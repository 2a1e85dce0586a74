import { copyText } from './copy-text.ts';

/** Control characters, except tabs and line feeds: ranges, because `\p{Cc}` takes longer. */
const CONTROL = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;

/** The text with U+FFFD in place of control characters, because terminals would act on them; the same text if it has none. */
export const withoutControls = (text: string): string => text.replace(CONTROL, '\uFFFD');

/**
 * Copies the beginning of an untrusted text, without control characters. A text that is not longer is not copied: it must not be part of a
 * longer one itself (see `copyText`).
 * @param maxLength UTF-16 units
 */
export const beginningOf = (text: string, maxLength: number): string =>
  withoutControls(text.length > maxLength ? copyText(text, maxLength) : text);
