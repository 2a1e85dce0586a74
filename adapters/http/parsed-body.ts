import { BodyTooLarge } from '../../src/adapter-kit.ts';

/**
 * The bytes of a body that the host's parsers have already read. Values other than bytes and text are serialized again, as JSON or as a
 * form.
 * @param contentType the header of the request
 * @throws BodyTooLarge for more than `limit` bytes; Error if the host has read the body and discarded it
 */
export const bytesOf = (parsed: unknown, limit: number, contentType = ''): Uint8Array => {
  if (parsed === undefined)
    throw new Error('the body of a request has already been consumed by the host: mount the controller before anything that reads bodies');
  const bytes = encode(parsed, contentType);
  if (bytes.byteLength > limit) throw new BodyTooLarge();
  return bytes;
};

const encode = (parsed: unknown, contentType: string): Uint8Array => {
  if (parsed instanceof Uint8Array) return parsed;
  if (parsed instanceof ArrayBuffer) return new Uint8Array(parsed);
  if (typeof parsed === 'object' && parsed !== null && FORM.test(contentType)) return utf8.encode(String(formOf(parsed)));
  return utf8.encode(typeof parsed === 'string' ? parsed : JSON.stringify(parsed));
};

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Encodes fields as a form. Objects, to which some parsers convert names with brackets, are serialized as JSON. */
const formOf = (fields: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((item): [string, string] => [name, typeof item === 'string' ? item : JSON.stringify(item)]),
    ),
  );

const utf8 = new TextEncoder();
