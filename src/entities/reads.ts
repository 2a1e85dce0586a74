/** Reads typed by kind, for `Entities.readAll`, which runs several of them in one statement. */
import type { Kind, RowOf } from '../api/kit/resource.ts';
import { inView, tableOf } from '../changelog/views.ts';
import { ALL, type Predicate } from '../query/index.ts';
import type { Query, Read } from '../storage/port.ts';

/** A read, with the type of its answer. */
export interface EntityRead<Answer> {
  readonly read: Read;
  /** Never set; carries the type. */
  readonly answer?: Answer;
}

/** The answers to several reads, in the same order. */
export type Answers<Reads extends readonly EntityRead<unknown>[]> = {
  readonly [I in keyof Reads]: Reads[I] extends EntityRead<infer Answer> ? Answer : never;
};

/** The read that `Entities.list` performs. */
export const listing = <R extends Kind>(kind: R, query: Query): EntityRead<readonly RowOf<R>[]> => ({
  read: { read: 'list', kind: tableOf(kind), query: { ...query, where: inView(kind, query.where) } },
});

/** The read that `Entities.referenced` performs. */
export const referencing = (kind: Kind, field: string, values: readonly string[], where?: Predicate): EntityRead<readonly string[]> => ({
  read: { read: 'referenced', kind: tableOf(kind), field, values, where: kind.view ? inView(kind, where ?? ALL) : where },
});

/** True if the answer is always empty, so that no query is needed. */
export const isEmpty = (read: Read): boolean => (read.read === 'list' ? read.query.where.op === 'none' : read.values.length === 0);
