/**
 * Copies the beginning of a text that is kept longer than the text itself. In V8, the result of `slice`, `split`, `trim` or a match refers
 * to the original string, and keeps all of it in memory.
 * @param maxLength UTF-16 units
 */
export const copyText = (text: string, maxLength = text.length): string => decoder.decode(encoder.encode(text.slice(0, maxLength)));

/** Control characters, except tabs and line feeds. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

/** The text with U+FFFD in place of control characters, which terminals would obey; the same text if it has none. */
export const printable = (text: string): string => text.replace(CONTROL, '\uFFFD');

/** Copies the beginning of a text in which a router may have put anything. @param maxLength UTF-16 units */
export const copyPrintable = (text: string, maxLength?: number): string => printable(copyText(text, maxLength));

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
