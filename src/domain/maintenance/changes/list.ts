import type { changes } from '../../../api/change-log.ts';
import { change as changeKind } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { changeId } from '../../../changelog/events.ts';
import { revisionAt } from '../../../changelog/follow.ts';
import { changeOf } from '../../../changelog/log.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import { ALL, and, oneOf, stringField } from '../../../query/index.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';
import { checkedCursor, checkedKinds } from './cursor.ts';
import { boundedRecords, byRevision } from './page.ts';
import { planQuestions } from './questions.ts';

const ID = stringField('id');

type Operation = typeof changes.operations.list;

/** A page of the change log. */
export const listChanges = (
  call: Call,
  { after, before, kinds, limit: requestedLimit, ...questions }: DecodedOf<Operation>,
): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const wanted = checkedKinds(kinds);
    const start =
      after === undefined ? (await revisionAt(recordsIn(entities), 'oldest')) - 1 : await checkedCursor(entities, 'after', after);
    const { where: asked } = await planQuestions(entities, questions, call);
    // The client requests the next page with `after`, or with `before` if the newest come first.
    const limit = Math.min(pageSize(requestedLimit), MAX_PAGE_SIZE);
    const end = Math.max(before ?? Infinity, 0);
    const where = and(
      { op: 'compare', field: ID, is: '>=', value: changeId(start + 1) },
      end === Infinity ? ALL : { op: 'compare', field: ID, is: '<', value: changeId(end) },
      wanted ? oneOf(stringField('entity'), [...wanted]) : ALL,
      asked,
    );
    const rows = await boundedRecords(entities, { where, sort: byRevision(questions.order === 'newest'), limit });
    return {
      data: rows.map(changeOf),
      pagination: { limit, offset: 0, totalCount: await entities.count(changeKind, where) },
      filterableFields: symbolsOfList(changeKind, call).names,
    };
  });
