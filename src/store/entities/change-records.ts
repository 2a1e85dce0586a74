import { change } from '../../contract/api/changes.ts';
import type { ReadRecords } from '../changelog/follow.ts';
import type { Entities } from './entities.ts';

/** Reads the records of the change log within the transaction of `entities`. */
export const recordsIn =
  (entities: Pick<Entities, 'list'>): ReadRecords =>
  (query) =>
    entities.list(change, query);
