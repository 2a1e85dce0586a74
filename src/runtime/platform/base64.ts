/** Encodes bytes in Base64 with padding (RFC 4648, section 4). */
export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/**
 * Decodes Base64. Padding may be missing, and white space is ignored.
 * @returns undefined if it is invalid
 */
export const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)); // `atob` ignores white space
  } catch {
    return undefined;
  }
};

/** Encodes bytes in Base64 without padding. */
export const encodeUnpaddedBase64 = (bytes: Uint8Array): string => encodeBase64(bytes).replace(/=+$/, '');

/** @returns undefined if the text is not Base64 without padding */
export const decodeUnpaddedBase64 = (text: string): Uint8Array | undefined =>
  /^[A-Za-z0-9+/]*$/.test(text) ? decodeBase64(text) : undefined;
