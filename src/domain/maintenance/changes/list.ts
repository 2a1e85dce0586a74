import type { changes } from '../../../api/change-log.ts';
import { change as changeKind } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Change } from '../../../changelog/events.ts';
import { changeId } from '../../../changelog/events.ts';
import { revisionAt } from '../../../changelog/follow.ts';
import { changeOf } from '../../../changelog/log.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import { and, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';
import { checkedCursor, checkedKinds } from './cursor.ts';
import { byRevision, planQuestions } from './questions.ts';

/** Number of changes read at a time. */
const BATCH = 50;
/** Number of characters after which a page ends: a change may take two megabytes. */
const PAGE_CHARACTERS = 8_388_608;

const ID = stringField('id');

type Operation = typeof changes.operations.list;

/** A page of the change log. */
export const listChanges = (
  call: Call,
  { after, before, kinds, limit: requestedLimit, ...questions }: DecodedOf<Operation>,
): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const wanted = checkedKinds(kinds);
    const read = recordsIn(entities);
    const start = after === undefined ? (await revisionAt(read, 'oldest')) - 1 : await checkedCursor(entities, 'after', after);
    const { where: asked } = await planQuestions(entities, questions, call);
    const isNewestFirst = questions.order === 'newest';
    // The client requests the next page with `after`, or with `before` if the newest come first.
    const limit = Math.min(pageSize(requestedLimit), MAX_PAGE_SIZE);
    const between = (first: number, end: number): Predicate =>
      and(
        { op: 'compare', field: ID, is: '>=', value: changeId(first) },
        end === Infinity ? { op: 'all' } : { op: 'compare', field: ID, is: '<', value: changeId(end) },
        wanted ? oneOf(stringField('entity'), [...wanted]) : { op: 'all' },
        asked,
      );
    const data: Change[] = [];
    const whole = [start + 1, Math.max(before ?? Infinity, 0)] as const;
    for (let [[first, end], size, isOver]: [readonly [number, number], number, boolean] = [whole, 0, false]; !isOver; ) {
      const query = { where: between(first, end), sort: byRevision(isNewestFirst), limit: Math.min(limit - data.length, BATCH) };
      const rows = await read(query);
      data.push(...rows.map(changeOf));
      const last = Number(rows.at(-1)?.revision);
      if (isNewestFirst) end = last;
      else first = last + 1;
      isOver = rows.length < BATCH || data.length === limit || (size += JSON.stringify(rows).length) > PAGE_CHARACTERS;
    }
    return {
      data,
      pagination: { limit, offset: 0, totalCount: await entities.count(changeKind, between(...whole)) },
      filterableFields: symbolsOfList(changeKind, call).names,
    };
  });
