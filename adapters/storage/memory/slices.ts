/** Visits many rows in time slices. A few rows are visited synchronously, without additional cost. */
import { createTimeSlice, type TransactionOptions } from '../../../src/adapter-kit.ts';
import type { Visit, Walk } from './walks.ts';

/**
 * Once the signal is aborted, queries with many rows reject with its reason. It is read on demand, because callers create signals lazily.
 */
export type Abortable = Pick<TransactionOptions, 'signal'>;

/** Number of rows per time slice: a few milliseconds of work if each row is tested. */
export const ROWS_AT_ONCE = 2000;

/**
 * Visits the rows of a walk until `visit` returns false.
 * @returns undefined if the first slice was sufficient
 * @throws the reason of the signal, once aborted
 */
export const visitInSlices = (walk: Walk, visit: Visit, query: Abortable): Promise<void> | undefined =>
  visitSlice(walk, visit) ? visitRest(walk, visit, query) : undefined;

const visitRest = async (walk: Walk, visit: Visit, query: Abortable): Promise<void> => {
  const yieldIfDue = createTimeSlice(ROWS_AT_ONCE);
  do {
    await yieldIfDue(ROWS_AT_ONCE);
    query.signal?.throwIfAborted();
  } while (visitSlice(walk, visit));
};

/** @returns true if rows may remain */
const visitSlice = (walk: Walk, visit: Visit): boolean => {
  let left = ROWS_AT_ONCE;
  let isOver = false;
  walk((id, row) => {
    isOver = !visit(id, row);
    return !isOver && --left > 0;
  });
  return !isOver && left === 0;
};
