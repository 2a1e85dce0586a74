import { changeId } from '../../contract/changes/events.ts';
import { ALL, stringField } from '../../query/index.ts';
import type { Query } from '../storage/port.ts';

const ID = stringField('id');

/** A query for the records starting at a revision, oldest first. */
export const recordsFrom = (revision: number, limit: number): Query => ({
  where: { op: 'compare', field: ID, is: '>=', value: changeId(revision) },
  limit,
});

/** A query for the record at one end of the log. */
export const endOfLog = (end: 'oldest' | 'newest'): Query => ({
  where: ALL,
  sort: [{ field: ID, descending: end === 'newest' }],
  limit: 1,
});
