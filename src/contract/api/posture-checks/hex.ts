/** Normalizes a hardware address, a hash or a fingerprint for comparison: keeps only the hex digits, in lower case. */
export const hexDigits = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
