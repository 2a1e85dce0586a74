import { idOfSelector } from '../../contract/api/kit/roles.ts';
import { equals, oneOf, type Predicate, type SortKey, stringField } from '../../query/index.ts';
import { ForwardingTransaction } from '../storage/forwarding.ts';
import type { Query, Read, ReadAnswer, Row } from '../storage/port.ts';
import { type Dependencies, dependenciesOf } from './cacheable-query.ts';
import { lookupIn, type Partition, partitionBy, recordedTable, referencePredicate } from './partition.ts';

const ID = stringField('id');

/** Maximum number of values of one read that are tracked individually. A read by more values counts as a read of the whole table. */
const MAX_VALUES = 500;

/**
 * Records the reads of a derivation, to find the partitions on which each derived value depends. A read by a value that some rows contain,
 * such as their id or a reference, is a dependency of these rows only; any other read is a dependency of all rows. Rows are returned
 * without volatile fields, because writes of these draw no revision. A value derived from sealed fields is not cached.
 */
export class DependencyTracker extends ForwardingTransaction {
  /** For each value by which rows were read, the partitions read. */
  readonly #byValue = new Map<unknown, Partition[]>();
  /** The partitions read in any other way. */
  readonly #common = new Set<Partition>();
  /** The values by which rows with sealed fields were read. */
  readonly #sealed = new Set<unknown>();
  #isCacheable = true;

  /** For each row, the dependencies of the value derived from it; undefined if the value must not be cached. */
  dependenciesFor(rows: readonly Row[]): readonly (Dependencies | undefined)[] {
    const names = rows.map(namesIn);
    const named = new Set(names.flatMap((each) => [...each]));
    const common = new Set(this.#common);
    for (const [value, parts] of this.#byValue) if (!named.has(value)) for (const part of parts) common.add(part);
    const isCacheable = this.#isCacheable && [...this.#sealed].every((value) => named.has(value));
    return names.map((each) => {
      const own = [...each];
      if (!isCacheable || own.some((value) => this.#sealed.has(value))) return undefined;
      return [...common, ...own.flatMap((value) => this.#byValue.get(value) ?? [])];
    });
  }

  /** Records rows that were read earlier as if they had been read through this tracker. */
  recordRows(kind: string, rows: readonly Row[]): readonly Row[] {
    const ids = rows.map(({ id }) => id);
    this.#record(kind, oneOf(ID, ids));
    return this.#omitVolatile(kind, rows, oneOf(ID, ids));
  }

  override async get(kind: string, id: string): Promise<Row | undefined> {
    const row = await this.inner.get(kind, id);
    this.#record(kind, equals(ID, id));
    return row && this.#omitVolatile(kind, [row], equals(ID, id))[0];
  }

  override async list(kind: string, query: Query): Promise<readonly Row[]> {
    this.#record(kind, query.where, query.sort);
    return this.#omitVolatile(kind, await this.inner.list(kind, query), query.where);
  }

  override referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    this.#record(kind, referencePredicate(field, values, where));
    return this.inner.referenced(kind, field, values, where);
  }

  override async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    for (const each of reads)
      if (each.read === 'list') this.#record(each.kind, each.query.where, each.query.sort);
      else this.#record(each.kind, referencePredicate(each.field, each.values, each.where));
    const answers = await this.inner.readAll(reads);
    return answers.map((answer, i) => {
      const read = reads[i];
      return read?.read === 'list' ? this.#omitVolatile(read.kind, answer as readonly Row[], read.query.where) : answer; // the answer of a list is rows
    });
  }

  protected override pass(): Promise<never> {
    return Promise.reject(new TypeError('a derivation may only read rows and references'));
  }

  /** Records a read. A condition on a volatile field makes every value uncacheable. */
  #record(kind: string, where: Predicate, sort?: readonly SortKey[]): void {
    const dependsOn = dependenciesOf(kind, where, sort);
    if (!dependsOn) {
      this.#isCacheable = false;
      return;
    }
    for (const subquery of dependsOn.slice(1)) this.#common.add(subquery);
    const lookup = lookupIn(kind, where);
    if (!lookup || lookup.values.length > MAX_VALUES) {
      this.#common.add(kind);
      return;
    }
    for (const value of lookup.values) {
      const parts = this.#byValue.get(value) ?? [];
      this.#byValue.set(value, parts);
      const part = partitionBy(kind, lookup.field, value);
      if (!parts.includes(part)) parts.push(part);
    }
  }

  #omitVolatile(kind: string, rows: readonly Row[], where: Predicate): readonly Row[] {
    const { volatile = [], isSealed = false } = recordedTable(kind) ?? {};
    const field = lookupIn(kind, where)?.field;
    if (isSealed) for (const row of rows) this.#sealed.add(field && row[field]);
    if (volatile.length === 0) return rows;
    // The cast is safe, because the required fields of a row are never volatile.
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !volatile.includes(field))) as Row);
  }
}

/** The values by which related rows may be read: the row's id and the texts in its fields. A role by id counts as that id. */
const namesIn = (row: Row): ReadonlySet<unknown> => {
  const names = new Set<unknown>();
  for (const value of Object.values(row))
    if (typeof value === 'string') names.add(value);
    else if (Array.isArray(value)) for (const each of value) names.add(typeof each === 'string' ? (idOfSelector(each) ?? each) : each);
  return names;
};
