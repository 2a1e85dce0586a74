import type { Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { notFound } from '../../contract/errors/index.ts';
import { ALL, equals, type Predicate, stringField } from '../../query/index.ts';
import { inView, isInView, tableOf } from '../changelog/views.ts';
import type { NumberedRows } from '../indexes/index-follower.ts';
import type { Query, Read, Row, Verified, VerifyPage } from '../storage/port.ts';
import { createGuard, type Guard, type Precondition } from './precondition.ts';
import type { SharedTransaction } from './shared-transaction.ts';

/** A read for `Entities.readAll`, with the type of its answer. */
export interface EntityRead<Answer> {
  readonly read: Read;
  /** Never set. Only declares the type. */
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
export const isEmptyRead = (read: Read): boolean => (read.read === 'list' ? read.query.where.op === 'none' : read.values.length === 0);

/** The reads of `Entities`: reads of the store within one transaction, typed by kind. */
export class EntityReads {
  protected readonly shared: SharedTransaction;
  protected readonly guard: Guard | undefined;

  constructor(shared: SharedTransaction, precondition: Precondition | undefined) {
    this.shared = shared;
    this.guard = precondition && createGuard(precondition);
  }

  // The casts to `RowOf` are safe: all rows of a kind were written through `Entities`.

  /** The row with this id. With `allowStale`, it may come from the cache with stale volatile fields. */
  async get<R extends Kind>(kind: R, id: string, { allowStale = false } = {}): Promise<RowOf<R> | undefined> {
    const { tx, cache } = this.shared;
    const row = await (allowStale && cache ? cache.getStale(tableOf(kind), id) : tx.get(tableOf(kind), id));
    if (!row || !isInView(kind, row)) return undefined;
    if (!allowStale) this.guard?.(kind, row);
    return row as RowOf<R>;
  }

  /** @throws ApiError `NOT_FOUND` */
  async require<R extends Kind>(kind: R, id: string): Promise<RowOf<R>> {
    const row = await this.get(kind, id);
    if (!row) throw notFound(kind.kind, id);
    return row;
  }

  async list<R extends Kind>(kind: R, query: Query): Promise<readonly RowOf<R>[]> {
    return (await this.shared.tx.list(tableOf(kind), { ...query, where: inView(kind, query.where) })) as readonly RowOf<R>[];
  }

  /**
   * The rows that belong to another row, such as the policies that select an identity. They are cached under `name` and the version of that
   * row, which is a shorter key than the predicate.
   * @param name the name of the relation, which must not depend on `owner`
   * @param where must depend only on the fields of `owner`
   */
  async listFor<R extends Kind>(
    kind: R,
    name: string,
    owner: Pick<Row, 'id' | 'version'>,
    where: () => Predicate,
  ): Promise<readonly RowOf<R>[]> {
    const { tx, cache } = this.shared;
    const found = cache
      ? cache.listFor(tableOf(kind), name, owner, () => inView(kind, where()))
      : tx.list(tableOf(kind), { where: inView(kind, where()) });
    return (await found) as readonly RowOf<R>[];
  }

  /**
   * The row with a unique value. In a read transaction, it may come from the cache with stale volatile fields: use `get` if these matter.
   */
  async getBy<R extends Kind>(kind: R, field: keyof RowOf<R> & string, value: string): Promise<RowOf<R> | undefined> {
    const { tx, cache } = this.shared;
    const row = cache
      ? await cache.getBy(tableOf(kind), field, value)
      : (await tx.list(tableOf(kind), { where: equals(stringField(field), value), limit: 1 }))[0];
    return row && isInView(kind, row) ? (row as RowOf<R>) : undefined;
  }

  /** The first row that satisfies the predicate, if any. */
  async find<R extends Kind>(kind: R, where: Predicate): Promise<RowOf<R> | undefined> {
    return (await this.list(kind, { where, limit: 1 }))[0];
  }

  count(kind: Kind, where: Predicate): Promise<number> {
    return this.shared.tx.count(tableOf(kind), inView(kind, where));
  }

  /**
   * The entities of a kind as sets of numbers, in the state before the writes of this transaction.
   * @returns undefined if no index of this state is in memory
   */
  async numberedRows(kind: Kind): Promise<NumberedRows | undefined> {
    const { cache, tx, changes } = this.shared;
    if (!cache || kind.view) return undefined;
    // Each change has drawn one revision.
    return cache.numberedRows(tableOf(kind), (await tx.revision()) - changes.length);
  }

  distinct(kind: Kind, set: string): Promise<readonly string[]> {
    return this.shared.tx.distinct(tableOf(kind), set);
  }

  /** See `Transaction.referenced`. */
  async referenced(kind: Kind, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    if (values.length === 0) return [];
    return this.shared.tx.referenced(tableOf(kind), field, values, kind.view ? inView(kind, where ?? ALL) : where);
  }

  /**
   * Runs several reads (`listing`, `referencing`), in one statement if the store can.
   * @returns the answers in the same order
   */
  async readAll<const Reads extends readonly EntityRead<unknown>[]>(reads: Reads): Promise<Answers<Reads>> {
    const needed = reads.flatMap(({ read }) => (isEmptyRead(read) ? [] : [read]));
    const answers = needed.length === 0 ? [] : await this.shared.tx.readAll(needed);
    // Results are in the order of the reads, and the type of each follows from the type of its read.
    return reads.map(({ read }) => answers[needed.indexOf(read)] ?? []) as unknown as Answers<Reads>;
  }

  /** The last revision in the state that this transaction sees. */
  revision(): Promise<number> {
    return this.shared.tx.revision();
  }

  /** See `Transaction.verify`. */
  verify(kind: Kind, page: VerifyPage): Promise<Verified> {
    return this.shared.tx.verify(tableOf(kind), page);
  }
}
