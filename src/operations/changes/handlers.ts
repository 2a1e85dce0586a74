import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import { changes } from '../../contract/api/change-log.ts';
import { change as changeKind } from '../../contract/api/changes.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { changeId } from '../../contract/changes/events.ts';
import { ALL, and, oneOf, stringField } from '../../query/index.ts';
import { revisionAt } from '../../store/changelog/follow.ts';
import { changeOf } from '../../store/changelog/log.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import { checkedCursor, checkedKinds } from './cursor.ts';
import { followChanges } from './follow.ts';
import { boundedRecords, byRevision } from './page.ts';
import { planQuestions } from './questions.ts';

const ID = stringField('id');

type Operation = typeof changes.operations.list;

const listChanges = (
  call: Call,
  { after, before, kinds, limit: requestedLimit, ...questions }: DecodedOf<Operation>,
): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const requestedKinds = checkedKinds(kinds);
    const start =
      after === undefined ? (await revisionAt(recordsIn(entities), 'oldest')) - 1 : await checkedCursor(entities, 'after', after);
    const { where: matching } = await planQuestions(entities, questions, call);
    // Clients request the next page with `after`, or with `before` in the order newest first.
    const limit = Math.min(pageSize(requestedLimit), MAX_PAGE_SIZE);
    const end = Math.max(before ?? Infinity, 0);
    const where = and(
      { op: 'compare', field: ID, is: '>=', value: changeId(start + 1) },
      end === Infinity ? ALL : { op: 'compare', field: ID, is: '<', value: changeId(end) },
      requestedKinds ? oneOf(stringField('entity'), [...requestedKinds]) : ALL,
      matching,
    );
    const rows = await boundedRecords(entities, { where, sort: byRevision(questions.order === 'newest'), limit });
    return {
      data: rows.map(changeOf),
      pagination: { limit, offset: 0, totalCount: await entities.count(changeKind, where) },
      filterableFields: symbolsOfList(changeKind, call).names,
    };
  });

export const changeEntries = implement(changes, { list: listChanges, follow: followChanges });
