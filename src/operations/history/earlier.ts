import { change as changeKind } from '../../contract/api/changes.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { type ChangedKind, changeId, isChangedKind } from '../../contract/changes/events.ts';
import { notFound } from '../../contract/errors/index.ts';
import { and, equals, type Predicate, stringField } from '../../query/index.ts';
import { differingFields, type RecordedFields } from '../../store/changelog/differences.ts';
import { changeOf } from '../../store/changelog/log.ts';
import { visibleFields } from '../../store/changelog/visible.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { checkedCursor } from '../changes/cursor.ts';

/** An entity with a history. */
export interface HistorySubject {
  readonly kind: string;
  readonly id: string;
}

/** @throws ApiError `NOT_FOUND` if the kind does not exist, or if its changes are not recorded */
export const assertRecordedKind = (name: string): Kind & { readonly kind: ChangedKind } => {
  if (!isChangedKind(name)) throw notFound('kind', name);
  return kinds[name] as Kind & { readonly kind: ChangedKind }; // the kind of that name
};

/** Selects the change records of an entity. */
export const recordsAbout = ({ kind, id }: HistorySubject): Predicate =>
  and(equals(stringField('entityId'), id), equals(stringField('entity'), kind));

/**
 * The state of an entity at a revision: the state before the first later change or, if there is none, its current state.
 * @throws ApiError `CURSOR_EXPIRED` if the log begins later; `NOT_FOUND` if the entity did not exist
 */
export const earlierEntity = async (entities: Entities, subject: HistorySubject, revision: number): Promise<RecordedFields> => {
  const kind = assertRecordedKind(subject.kind);
  await checkedCursor(entities, 'revision', revision);
  const after: Predicate = { op: 'compare', field: stringField('id'), is: '>', value: changeId(revision) };
  const [next] = await entities.list(changeKind, { where: and(recordsAbout(subject), after), limit: 1 });
  const found: RecordedFields | null | undefined = next ? changeOf(next).before : await currentEntity(entities, kind, subject.id);
  if (!found) throw notFound(kind.kind, subject.id);
  return found;
};

/** The current state of an entity, in the form of change records. */
export const currentEntity = async (entities: Entities, kind: Kind, id: string): Promise<RecordedFields | undefined> => {
  const row = await entities.get(kind, id);
  return row && visibleFields(kind, row);
};

/** The names of the fields in which two states of an entity differ. */
export const changedBetween = (before: RecordedFields, after: RecordedFields): readonly string[] =>
  differingFields(before, after, (one, other) => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null));
