import { change as changeKind } from '../../../api/changes.ts';
import { history } from '../../../api/history.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { changeId } from '../../../changelog/events.ts';
import { changeOf } from '../../../changelog/log.ts';
import { ALL, and, type Predicate, stringField } from '../../../query/index.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { differingFields, earlierEntity, recordedKind, recordsAbout } from './earlier.ts';
import { revertEntity } from './revert.ts';

type List = typeof history.operations.list;
type Get = typeof history.operations.get;

/** Number of changes read at a time, and of characters after which a page ends: a change may take two megabytes. */
const BATCH = 50;
const PAGE_CHARACTERS = 8_388_608;

const list = (call: Call, { kind, id, before, limit: requested }: DecodedOf<List>): Promise<OutputOf<List>> => {
  recordedKind(kind);
  const limit = Math.min(pageSize(requested), MAX_PAGE_SIZE);
  const about = recordsAbout({ kind, id });
  const upTo = (revision: number | undefined): Predicate =>
    revision === undefined ? ALL : { op: 'compare', field: ID, is: '<', value: changeId(Math.max(revision, 0)) };
  return call.read(async (entities) => {
    const data: OutputOf<List>['data'][number][] = [];
    for (let [last, size, isOver] = [before, 0, false]; !isOver; ) {
      const where = and(about, upTo(last));
      const rows = await entities.list(changeKind, { where, sort: NEWEST_FIRST, limit: Math.min(limit - data.length, BATCH) });
      for (const row of rows) {
        const { revision, action, actor, requestId, onBehalfOf, reason, at, before, after } = changeOf(row);
        const changed = [...differingFields(before ?? {}, after ?? {})];
        data.push({ revision, action, actor, requestId, onBehalfOf, reason, at, changed, after: after && { ...after } });
        last = revision;
      }
      isOver = rows.length < BATCH || data.length === limit || (size += JSON.stringify(rows).length) > PAGE_CHARACTERS;
    }
    const totalCount = await entities.count(changeKind, and(about, upTo(before)));
    return { data, pagination: { limit, offset: 0, totalCount }, filterableFields: [] };
  });
};

const ID = stringField('id');
const NEWEST_FIRST = [{ field: ID, descending: true }];

const get = (call: Call, { kind, id, revision: requested }: DecodedOf<Get>): Promise<OutputOf<Get>> =>
  call.read(async (entities) => {
    const revision = requested ?? (await entities.revision());
    const state = await earlierEntity(entities, { kind, id }, revision);
    return { revision, entity: kind, entityId: id, state: { ...state } };
  });

export const historyEntries = implement(history, { list, get, revert: revertEntity });
