import type { changes } from '../../../api/change-log.ts';
import { change as changeKind } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/operation.ts';
import type { Call } from '../../../call/call.ts';
import { changeOf, recordsFrom } from '../../../changes/log.ts';
import { revisionAt } from '../../../changes/pages.ts';
import { and, oneOf, stringField } from '../../../query/index.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { checkedCursor, checkedKinds } from './cursor.ts';

type Operation = typeof changes.operations.list;

/** A page of the change log. */
export const listChanges = (call: Call, { after, kinds, limit: given }: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const wanted = checkedKinds(kinds);
    const begin = after === undefined ? (await revisionAt(entities, 'oldest')) - 1 : await checkedCursor(entities, 'after', after);
    // The rest is asked for with `after`.
    const limit = Math.min(pageSize(given), MAX_PAGE_SIZE);
    const records = recordsFrom(begin + 1, limit);
    const where = wanted ? and(records.where, oneOf(stringField('entity'), [...wanted])) : records.where;
    const rows = await entities.list(changeKind, { ...records, where });
    const totalCount = await entities.count(changeKind, where);
    return { data: rows.map(changeOf), pagination: { limit, offset: 0, totalCount }, filterableFields: [] };
  });
