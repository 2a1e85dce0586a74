/**
 * Copies the beginning of a text that is kept longer than the text itself. In V8, the result of `slice`, `split`, `trim` or a match refers
 * to the original string, and keeps all of it in memory.
 * @param maxLength UTF-16 units
 */
export const copyText = (text: string, maxLength = text.length): string => decoder.decode(encoder.encode(text.slice(0, maxLength)));

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
