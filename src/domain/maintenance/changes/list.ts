import type { changes } from '../../../api/change-log.ts';
import { change as changeKind } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/operation.ts';
import type { Call } from '../../../call/call.ts';
import { changeOf, recordsFrom } from '../../../changes/log.ts';
import { and, oneOf, stringField } from '../../../query/index.ts';
import { checkedCursor, checkedKinds, extentOfLog } from './cursor.ts';

type Operation = typeof changes.operations.list;

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 500;

/** A page of the change log. */
export const listChanges = (call: Call, { after, kinds, limit = DEFAULT_LIMIT }: DecodedOf<Operation>): Promise<OutputOf<Operation>> =>
  call.read(async (entities) => {
    const wanted = checkedKinds(kinds);
    const begin = after === undefined ? (await extentOfLog(entities)).oldest - 1 : await checkedCursor(entities, 'after', after);
    const most = limit === -1 ? MAX_LIMIT : limit <= 0 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT);
    const records = recordsFrom(begin + 1, most);
    const where = wanted ? and(records.where, oneOf(stringField('entity'), [...wanted])) : records.where;
    const rows = await entities.list(changeKind, { ...records, where });
    const totalCount = await entities.count(changeKind, where);
    return { data: rows.map(changeOf), pagination: { limit: most, offset: 0, totalCount }, filterableFields: [] };
  });
