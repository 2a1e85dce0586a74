import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { shownRecords } from '../../call/resources/granted.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../call/resources/lists.ts';
import { change as changeKind } from '../../contract/api/changes.ts';
import { history } from '../../contract/api/history.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { changeId } from '../../contract/changes/events.ts';
import { notFound } from '../../contract/errors/index.ts';
import { ALL, and, compileMatcher, type Predicate, stringField } from '../../query/index.ts';
import { changeOf } from '../../store/changelog/log.ts';
import type { Row } from '../../store/storage/port.ts';
import { boundedRecords, byRevision } from '../changes/page.ts';
import { assertRecordedKind, changedBetween, earlierEntity, recordsAbout } from './earlier.ts';
import { revertEntity } from './revert.ts';

type List = typeof history.operations.list;
type Get = typeof history.operations.get;

const list = (call: Call, { kind, id, before, limit: requested }: DecodedOf<List>): Promise<OutputOf<List>> => {
  assertRecordedKind(kind);
  const limit = Math.min(pageSize(requested), MAX_PAGE_SIZE);
  const upTo: Predicate =
    before === undefined ? ALL : { op: 'compare', field: stringField('id'), is: '<', value: changeId(Math.max(before, 0)) };
  return call.read(async (entities) => {
    const where = and(recordsAbout({ kind, id }), upTo, await shownRecords(entities, call));
    const rows = await boundedRecords(entities, { where, sort: byRevision(true), limit });
    return {
      data: rows.map(entryOf),
      pagination: { limit, offset: 0, totalCount: await entities.count(changeKind, where) },
      filterableFields: [],
    };
  });
};

const entryOf = (row: Row): OutputOf<List>['data'][number] => {
  const { revision, action, actor, requestId, onBehalfOf, reason, at, overriddenTests = null, before, after } = changeOf(row);
  const changed = [...changedBetween(before ?? {}, after ?? {})];
  return { revision, action, actor, requestId, onBehalfOf, reason, at, overriddenTests, changed, after: after && { ...after } };
};

const get = (call: Call, { kind, id, revision: requested }: DecodedOf<Get>): Promise<OutputOf<Get>> =>
  call.read(async (entities) => {
    const revision = requested ?? (await entities.revision());
    const state = await earlierEntity(entities, { kind, id }, revision);
    // Checks the state itself, because its record may have left the log.
    const isShown = compileMatcher(await shownRecords(entities, call));
    if (!isShown({ entity: kind, after: state })) throw notFound(kind, id);
    return { revision, entity: kind, entityId: id, state: { ...state } };
  });

export const historyEntries = implement(history, { list, get, revert: revertEntity });
