/** Reads the parts of a report one after the other, as one long list, page by page. */
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { cursorAt, placeAt } from '../../../resources/page-cursor.ts';
import type { PairPosition } from './pairs.ts';

/** Which page of a report to show. */
export interface ReportPage {
  readonly limit?: number | undefined;
  /** The cursor of the page before. */
  readonly after?: string | undefined;
}

/** One part of a report. */
export interface ReportPart<T> {
  /** Its items in order, each with its place. @param after continues after this place. Default: from the first */
  items(after?: PairPosition): Iterable<readonly [PairPosition, T]>;
}

/** A page is this long unless the caller asks otherwise. */
const DEFAULT_ITEMS = 100;

/**
 * @returns the items on a page, and the cursor for the next
 * @throws ApiError `COULD_NOT_VALIDATE` for an invalid cursor
 */
export const itemsOnPage = <T>(parts: readonly ReportPart<T>[], { limit, after }: ReportPage) => {
  const max = Math.min(pageSize(limit, DEFAULT_ITEMS), MAX_PAGE_SIZE);
  const [first, start] = after === undefined ? [0, undefined] : startAt(after);
  const items: T[] = [];
  let last: readonly [number, PairPosition] | undefined;
  for (const [number, part] of parts.entries()) {
    if (number < first) continue;
    for (const [place, item] of part.items(number === first ? start : undefined)) {
      if (items.length === max && last) return { items, next: cursorAt([last[0], ...last[1]]) };
      items.push(item);
      last = [number, place];
    }
  }
  return { items, next: undefined };
};

const startAt = (after: string): readonly [number, PairPosition] => {
  const [number, ...position] = placeAt(after, ['number', 'string', 'string', 'string', 'string', 'string']);
  return [Number(number), position.map(String)];
};
