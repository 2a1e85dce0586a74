import { change } from '../../contract/api/changes.ts';
import { type SortKey, stringField } from '../../query/index.ts';
import { recordsPerPage } from '../../store/changelog/follow.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Query, Row } from '../../store/storage/port.ts';

/**
 * The number of records of the next page of a stream. A change may have two megabytes, and a page stays in memory while its reader stalls.
 */
export const streamedPage = recordsPerPage({ first: 10, min: 2, max: 100, bytes: 262_144 });
/** The number of records to read at a time for a page. */
const nextBatch = recordsPerPage({ first: 10, min: 1, max: 50, bytes: 1_048_576 });
/** Number of characters after which a page ends. */
const PAGE_CHARACTERS = 8_388_608;

/** Orders records by their position in the log. */
export const byRevision = (descending: boolean): readonly SortKey[] => [{ field: stringField('id'), descending }];

/**
 * Reads a page of the change log, with fewer records if they are large.
 * @param characters of JSON after which the page ends
 */
export const boundedRecords = async (
  entities: Entities,
  { limit = Infinity, offset = 0, ...query }: Query,
  characters = PAGE_CHARACTERS,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let size = 0, isOver = false; !isOver && rows.length < limit; ) {
    const batch = Math.min(limit - rows.length, nextBatch(rows.length > 0 ? size / rows.length : undefined));
    const found = await entities.list(change, { ...query, offset: offset + rows.length, limit: batch });
    rows.push(...found);
    size += JSON.stringify(found).length;
    isOver = found.length < batch || size > characters;
  }
  return rows;
};
