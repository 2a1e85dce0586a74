/** Cursors for pagination: a cursor encodes the position of the last item of a page, and the next page begins after it. */
import { invalidField } from '../../contract/errors/index.ts';
import { decodeUnpaddedBase64, encodeUnpaddedBase64 } from '../../runtime/platform/base64.ts';

/** The texts that define the position of an item in the order of a list. */
type PagePosition = readonly string[];

const LENGTH = /(\d{1,5}):/y;
const encoder = new TextEncoder();

/**
 * Each text after its length, in Base64 for addresses (RFC 4648, section 5). Escaped as JSON or in an address, the longest names would
 * exceed what clients can send.
 */
export const encodePageCursor = (position: PagePosition): string => {
  const bytes = encoder.encode(position.map((text) => `${text.length}:${text}`).join(''));
  return encodeUnpaddedBase64(bytes).replaceAll('+', '-').replaceAll('/', '_');
};

/**
 * Decodes the cursor in the parameter `after`.
 * @param count the number of texts of the position
 * @throws ApiError `COULD_NOT_VALIDATE` for any other text
 */
export const decodePageCursor = (cursor: string, count: number): PagePosition => {
  const position = positionIn(cursor);
  if (position?.length === count) return position;
  throw invalidField('after', 'after must be the cursor `next` of the previous page', cursor);
};

/** @returns undefined if the text is not a cursor */
const positionIn = (cursor: string): PagePosition | undefined => {
  const bytes = decodeUnpaddedBase64(cursor.replaceAll('-', '+').replaceAll('_', '/'));
  if (!bytes) return undefined;
  const text = new TextDecoder().decode(bytes);
  const position: string[] = [];
  for (let at = 0; at < text.length; ) {
    LENGTH.lastIndex = at;
    const length = LENGTH.exec(text)?.[1];
    if (length === undefined) return undefined;
    const begin = LENGTH.lastIndex;
    at = begin + Number(length);
    if (at > text.length) return undefined;
    position.push(text.slice(begin, at));
  }
  return position;
};
