/** Cursors of answers that are read page by page: the place after which the next page begins, as text. */
import { invalidField } from '../errors/index.ts';

/** Values that describe a place in an answer. */
export type PagePlace = readonly (string | number)[];

export const cursorAt = (place: PagePlace): string => encodeURIComponent(JSON.stringify(place));

/**
 * Reads a cursor.
 * @param shape for each value, its type
 * @throws ApiError `COULD_NOT_VALIDATE` for a text that is no such cursor
 */
export const placeAt = (text: string, shape: readonly ('string' | 'number')[]): PagePlace => {
  const place = parsed(text);
  if (Array.isArray(place) && place.length === shape.length && shape.every((type, at) => typeof place[at] === type)) return place;
  throw invalidField('after', 'after must be the cursor `next` of the page before', text);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    return undefined;
  }
};
