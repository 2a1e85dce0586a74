import { compareText } from '../../query/index.ts';

/** The sort position of a pair: the texts that order it, most significant first. No two pairs of a list have the same. */
export type PairPosition = readonly string[];

/** @param prefix a position, or its first texts, which are then compared alone */
export const comparePositions = (prefix: PairPosition, position: PairPosition): number => {
  for (const [i, text] of prefix.entries()) {
    const order = compareText(text, position[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
};

/**
 * True if a position is after the cursor, or if there is no cursor.
 * @param cursor a position, or its first texts: a position that begins with these is not after them
 */
export const isAfterPosition = (cursor: PairPosition | undefined, position: PairPosition): boolean =>
  !cursor || comparePositions(cursor, position) < 0;
