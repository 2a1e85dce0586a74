/** Encodes bytes in Base64 with padding (RFC 4648, section 4). */
export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/**
 * Decodes Base64 with or without padding and white space.
 * @returns undefined if it is invalid
 */
export const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)); // `atob` ignores white space
  } catch {
    return undefined;
  }
};
