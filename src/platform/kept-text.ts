/**
 * A copy of the beginning of a text, for texts of which a part is kept longer than the whole. In V8, the result of `slice`, `split`, `trim` or a match refers to
 * the whole string: as long as the part is kept, all of it stays in memory.
 * @param maxLength UTF-16 units
 */
export const keptText = (text: string, maxLength = text.length): string => decoder.decode(encoder.encode(text.slice(0, maxLength)));

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
