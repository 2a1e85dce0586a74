import { change as changeKind } from '../../../api/changes.ts';
import { kinds } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/resource.ts';
import { differingFields, type RecordedFields } from '../../../changelog/differences.ts';
import { type ChangedKind, changeId, isChangedKind } from '../../../changelog/events.ts';
import { changeOf } from '../../../changelog/log.ts';
import { visibleFields } from '../../../changelog/visible.ts';
import type { Entities } from '../../../entities/entities.ts';
import { notFound } from '../../../errors/index.ts';
import { and, equals, type Predicate, stringField } from '../../../query/index.ts';
import { checkedCursor } from '../changes/cursor.ts';

/** An entity of which there is a history. */
export interface HistorySubject {
  readonly kind: string;
  readonly id: string;
}

/** @throws ApiError `NOT_FOUND` if there is no such kind, or its changes are not recorded */
export const recordedKind = (name: string): Kind & { readonly kind: ChangedKind } => {
  if (!isChangedKind(name)) throw notFound('kind', name);
  return kinds[name] as Kind & { readonly kind: ChangedKind }; // the kind of that name
};

/** The change records of an entity. */
export const recordsAbout = ({ kind, id }: HistorySubject): Predicate =>
  and(equals(stringField('entityId'), id), equals(stringField('entity'), kind));

/**
 * An entity as it was at a revision: what the first change after it replaced or, if it has not changed since, what it is now.
 * @throws ApiError `CURSOR_EXPIRED` if the log does not reach back so far; `NOT_FOUND` if the entity did not exist
 */
export const earlierEntity = async (entities: Entities, subject: HistorySubject, revision: number): Promise<RecordedFields> => {
  const kind = recordedKind(subject.kind);
  await checkedCursor(entities, 'revision', revision);
  const after: Predicate = { op: 'compare', field: stringField('id'), is: '>', value: changeId(revision) };
  const [next] = await entities.list(changeKind, { where: and(recordsAbout(subject), after), limit: 1 });
  const found: RecordedFields | null | undefined = next ? changeOf(next).before : await currentEntity(entities, kind, subject.id);
  if (!found) throw notFound(kind.kind, subject.id);
  return found;
};

/** An entity as it is now, as a change record would show it. */
export const currentEntity = async (entities: Entities, kind: Kind, id: string): Promise<RecordedFields | undefined> => {
  const row = await entities.get(kind, id);
  return row && visibleFields(kind, row);
};

/** The names of the fields in which two states of an entity differ. */
export const changedBetween = (before: RecordedFields, after: RecordedFields): readonly string[] =>
  differingFields(before, after, (one, other) => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null));
