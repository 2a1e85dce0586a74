import { BodyTooLarge } from '../../src/adapter-kit.ts';

/**
 * The bytes of a body that the host's parsers have already read: bytes and text are unchanged, any other value is serialised to JSON or a form again.
 * @param contentType the header of the request
 * @throws BodyTooLarge for more than `limit` bytes; Error if the host has read the body and discarded it
 */
export const bytesOf = (parsed: unknown, limit: number, contentType = ''): Uint8Array => {
  if (parsed === undefined)
    throw new Error(
      'the host has read the body of a request and left nothing of it: mount the controller before anything that reads bodies',
    );
  const bytes = encoded(parsed, contentType);
  if (bytes.byteLength > limit) throw new BodyTooLarge();
  return bytes;
};

const encoded = (parsed: unknown, contentType: string): Uint8Array => {
  if (parsed instanceof Uint8Array) return parsed;
  if (parsed instanceof ArrayBuffer) return new Uint8Array(parsed);
  if (typeof parsed === 'object' && parsed !== null && FORM.test(contentType)) return utf8.encode(String(formOf(parsed)));
  return utf8.encode(typeof parsed === 'string' ? parsed : JSON.stringify(parsed));
};

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Some parsers convert names with brackets to objects, which are serialized as JSON here. */
const formOf = (fields: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, typeof each === 'string' ? each : JSON.stringify(each)]),
    ),
  );

const utf8 = new TextEncoder();
