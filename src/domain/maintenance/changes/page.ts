import { change } from '../../../api/changes.ts';
import { recordsPerPage } from '../../../changelog/follow.ts';
import type { Entities } from '../../../entities/entities.ts';
import { type SortKey, stringField } from '../../../query/index.ts';
import type { Query, Row } from '../../../storage/port.ts';

/** The number of records of the next page of a stream: a change may take two megabytes, and a page stays in memory while its reader stalls. */
export const streamedPage = recordsPerPage({ first: 10, min: 2, max: 100, bytes: 262_144 });
/** The number of records that a page reads at a time. */
const nextBatch = recordsPerPage({ first: 10, min: 1, max: 50, bytes: 1_048_576 });
/** Number of characters after which a page ends. */
const PAGE_CHARACTERS = 8_388_608;

/** Orders records by their position in the log. */
export const byRevision = (descending: boolean): readonly SortKey[] => [{ field: stringField('id'), descending }];

/** The records of a page of the change log, or fewer if they are large. @param characters of JSON, after which the page ends */
export const boundedRecords = async (
  entities: Entities,
  { limit = Infinity, offset = 0, ...query }: Query,
  characters = PAGE_CHARACTERS,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let size = 0, isOver = false; !isOver && rows.length < limit; ) {
    const asked = Math.min(limit - rows.length, nextBatch(rows.length > 0 ? size / rows.length : undefined));
    const found = await entities.list(change, { ...query, offset: offset + rows.length, limit: asked });
    rows.push(...found);
    size += JSON.stringify(found).length;
    isOver = found.length < asked || size > characters;
  }
  return rows;
};
