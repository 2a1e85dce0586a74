/** Hardware addresses, hashes and fingerprints are compared by their hex digits: case, colons, dashes, dots and blanks do not count. */
export const hexDigits = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
