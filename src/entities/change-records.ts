import { change } from '../api/changes.ts';
import type { ReadRecords } from '../changelog/follow.ts';
import type { Entities } from './entities.ts';

/** Reads the records of the change log through the entities of a transaction. */
export const recordsIn =
  (entities: Pick<Entities, 'list'>): ReadRecords =>
  (query) =>
    entities.list(change, query);
