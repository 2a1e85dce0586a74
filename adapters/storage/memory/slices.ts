/** Works on many rows in slices, between which others have turns. Few rows are worked on at once, and cost no more. */
import { createTimeSlice } from '../../../src/adapter-kit.ts';
import type { Visit, Walk } from './walks.ts';

/** Number of rows that are visited in one piece: a few milliseconds of work, if each is tested. */
export const ROWS_AT_ONCE = 2000;

/**
 * Visits the rows of a walk until `visit` returns false.
 * @returns undefined if the first slice was enough @throws the reason of `signal`, once aborted
 */
export const visitInSlices = (walk: Walk, visit: Visit, signal?: AbortSignal): Promise<void> | undefined =>
  visitSlice(walk, visit) ? visitRest(walk, visit, signal) : undefined;

const visitRest = async (walk: Walk, visit: Visit, signal: AbortSignal | undefined): Promise<void> => {
  const yieldIfDue = createTimeSlice(ROWS_AT_ONCE);
  do {
    await yieldIfDue(ROWS_AT_ONCE);
    signal?.throwIfAborted();
  } while (visitSlice(walk, visit));
};

/** @returns true if rows may be left */
const visitSlice = (walk: Walk, visit: Visit): boolean => {
  let [left, isOver] = [ROWS_AT_ONCE, false];
  walk((id, row) => {
    isOver = !visit(id, row);
    return !isOver && --left > 0;
  });
  return !isOver && left === 0;
};
