/** Pages over the parts of a report, as one list. */
import { MAX_PAGE_SIZE, pageSize } from '../../call/resources/lists.ts';
import { decodePageCursor, encodePageCursor } from '../../call/resources/page-cursor.ts';
import type { PairPosition } from './pair-position.ts';

/** The requested page of a report. */
export interface ReportPage {
  /** Default: `DEFAULT_ITEMS`. */
  readonly limit?: number | undefined;
  /** The cursor from the previous page. Default: the beginning. */
  readonly after?: string | undefined;
}

/** One part of a report. */
export interface ReportPart<T> {
  /**
   * Its items in order, each with its position.
   * @param after continues after this position. Default: the beginning
   */
  items(after?: PairPosition): Iterable<readonly [PairPosition, T]> | AsyncIterable<readonly [PairPosition, T]>;
}

/** A page of pairs ends once they list this many policies and posture checks. */
export const REFERENCES_PER_PAGE = 5000;
/** Default number of items per page. */
const DEFAULT_ITEMS = 100;

/**
 * @param referencesOf the number of policies and posture checks that an item lists
 * @returns the items on a page, and the cursor for the next page; undefined on the last page
 * @throws ApiError `COULD_NOT_VALIDATE` for an invalid cursor
 */
export const itemsOnPage = async <T>(parts: readonly ReportPart<T>[], { limit, after }: ReportPage, referencesOf: (item: T) => number) => {
  const max = Math.min(pageSize(limit, DEFAULT_ITEMS), MAX_PAGE_SIZE);
  const [first, start] = after === undefined ? [0, undefined] : decodeStart(after);
  const items: T[] = [];
  let references = 0;
  let last: readonly [number, PairPosition] | undefined;
  for (const [number, part] of parts.entries()) {
    if (number < first) continue;
    for await (const [position, item] of part.items(number === first ? start : undefined)) {
      if ((items.length === max || references >= REFERENCES_PER_PAGE) && last)
        return { items, next: encodePageCursor([String(last[0]), ...last[1]]) };
      items.push(item);
      references += referencesOf(item);
      last = [number, position];
    }
  }
  return { items, next: undefined };
};

const decodeStart = (after: string): readonly [number, PairPosition] => {
  const [number = '', ...position] = decodePageCursor(after, 6);
  return [Number(number), position];
};
