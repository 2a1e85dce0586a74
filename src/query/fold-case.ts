/**
 * Folds the case of a text for comparisons. The result is not longer than the text in UTF-8. Non-ASCII letters never become ASCII letters,
 * as the Kelvin sign would become `k`, so that the email addresses of two people remain distinct even if they look alike.
 */
export const foldCase = (text: string): string => text.replace(/[A-Z]|[^\0-\x7f]/gu, foldLetter);

const foldLetter = (letter: string): string => {
  const lower = letter.toLowerCase();
  return isAscii(lower) === isAscii(letter) && bytesOf(lower) <= bytesOf(letter) ? lower : letter;
};

const isAscii = (letter: string): boolean => letter < '\x80';

const bytesOf = (letter: string): number => new TextEncoder().encode(letter).length;
