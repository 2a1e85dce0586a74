import type { changes } from '../../../api/change-log.ts';
import { change as changeKind } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Change } from '../../../changelog/events.ts';
import { recordsFrom, revisionAt } from '../../../changelog/follow.ts';
import { changeOf } from '../../../changelog/log.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import { and, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { checkedCursor, checkedKinds } from './cursor.ts';

/** Number of changes read at a time. */
const BATCH = 50;
/** Number of characters after which a page ends: a change may take two megabytes. */
const PAGE_CHARACTERS = 8_388_608;

type Operation = typeof changes.operations.list;

/** A page of the change log. */
export const listChanges = (call: Call, { after, kinds, limit: requestedLimit }: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const wanted = checkedKinds(kinds);
    const read = recordsIn(entities);
    const start = after === undefined ? (await revisionAt(read, 'oldest')) - 1 : await checkedCursor(entities, 'after', after);
    // The client requests the next page with `after`.
    const limit = Math.min(pageSize(requestedLimit), MAX_PAGE_SIZE);
    const whereFrom = (from: number): Predicate => {
      const { where } = recordsFrom(from, limit);
      return wanted ? and(where, oneOf(stringField('entity'), [...wanted])) : where;
    };
    const data: Change[] = [];
    for (let [from, size, isOver] = [start + 1, 0, false]; !isOver; ) {
      const rows = await read({ where: whereFrom(from), limit: Math.min(limit - data.length, BATCH) });
      data.push(...rows.map(changeOf));
      from = Number(rows.at(-1)?.revision) + 1;
      isOver = rows.length < BATCH || data.length === limit || (size += JSON.stringify(rows).length) > PAGE_CHARACTERS;
    }
    return {
      data,
      pagination: { limit, offset: 0, totalCount: await entities.count(changeKind, whereFrom(start + 1)) },
      filterableFields: [],
    };
  });
