import { BodyTooLarge } from '../../src/adapter-kit.ts';

/**
 * The bytes of a body that the host's parsers have read already: bytes and text as they are, any other value as the JSON that it was made of.
 * @throws BodyTooLarge for more than `limit` bytes; Error when the host has read the body and kept nothing of it
 */
export const bytesOf = (parsed: unknown, limit: number): Uint8Array => {
  if (parsed === undefined)
    throw new Error('the host has read the body of a request and left nothing of it: mount the controller before whatever reads bodies');
  const bytes = encoded(parsed);
  if (bytes.byteLength > limit) throw new BodyTooLarge();
  return bytes;
};

const encoded = (parsed: unknown): Uint8Array => {
  if (parsed instanceof Uint8Array) return parsed;
  if (parsed instanceof ArrayBuffer) return new Uint8Array(parsed);
  return utf8.encode(typeof parsed === 'string' ? parsed : JSON.stringify(parsed));
};

const utf8 = new TextEncoder();
