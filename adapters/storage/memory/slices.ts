/** Visits many rows in slices, between which others have turns. Few rows are visited at once, and cost no more. */
import { createTimeSlice } from '../../../src/adapter-kit.ts';
import type { Candidates, Visit } from './candidates.ts';

/** Number of rows that are visited in one piece: a few milliseconds of work, if each is tested. */
export const ROWS_AT_ONCE = 2000;

/**
 * Visits the rows of a walk until `visit` returns false. Each slice begins anew after the rows that were visited, which trees skip without visiting them: a
 * table is one immutable value, so the walk finds the same rows again.
 * @returns undefined if the first slice was enough
 */
export const visitInSlices = (each: Candidates['each'], visit: Visit, skip = 0): Promise<void> | undefined => {
  const next = visitSlice(each, visit, skip);
  return next === undefined ? undefined : visitRest(each, visit, next);
};

const visitRest = async (each: Candidates['each'], visit: Visit, skip: number): Promise<void> => {
  const yieldIfDue = createTimeSlice(ROWS_AT_ONCE);
  for (let next: number | undefined = skip; next !== undefined; next = visitSlice(each, visit, next)) await yieldIfDue(ROWS_AT_ONCE);
};

/** @returns how many rows to skip next time; undefined if there is no next time */
const visitSlice = (each: Candidates['each'], visit: Visit, skip: number): number | undefined => {
  let [left, isOver] = [ROWS_AT_ONCE, false];
  each((id, row) => {
    isOver = !visit(id, row);
    return !isOver && --left > 0;
  }, skip);
  return isOver || left > 0 ? undefined : skip + ROWS_AT_ONCE;
};
