/** Cursors for pagination: a cursor encodes the position of the last item of a page, and the next page begins after it. */
import { invalidField } from '../../contract/errors/index.ts';

/** The values that define the position of an item in the order of a list. */
type PagePosition = readonly (string | number)[];

export const encodePageCursor = (position: PagePosition): string => encodeURIComponent(JSON.stringify(position));

/**
 * Decodes the cursor in the parameter `after`.
 * @param types the type of each value of the position
 * @throws ApiError `COULD_NOT_VALIDATE` for any other text
 */
export const decodePageCursor = (cursor: string, types: readonly ('string' | 'number')[]): PagePosition => {
  const position = parsed(cursor);
  if (Array.isArray(position) && position.length === types.length && types.every((type, i) => typeof position[i] === type)) return position;
  throw invalidField('after', 'after must be the cursor `next` of the previous page', cursor);
};

/** @returns undefined if the text is not URI-encoded JSON */
const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(decodeURIComponent(cursor));
  } catch {
    return undefined;
  }
};
