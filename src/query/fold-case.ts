/**
 * A text for comparison without case, no longer than it was in UTF-8. No letter outside of ASCII becomes one of ASCII, as the Kelvin sign would become `k`:
 * two people whose addresses look alike stay two.
 */
export const foldCase = (text: string): string => text.replace(/[A-Z]|[^\0-\x7f]/gu, foldLetter);

const foldLetter = (letter: string): string => {
  const lower = letter.toLowerCase();
  return isAscii(lower) === isAscii(letter) && bytesOf(lower) <= bytesOf(letter) ? lower : letter;
};

const isAscii = (letter: string): boolean => letter < '\x80';

const bytesOf = (letter: string): number => new TextEncoder().encode(letter).length;
