import { kinds } from '../../contract/api/kinds.ts';
import { changeId } from '../../contract/changes/events.ts';
import { ALL, and, comparator, compareText, compileMatcher, has, not, oneOf, type Predicate, stringField } from '../../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, Verified, VerifyPage } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import { hasSubqueryOn, loadSubqueryRows } from './subqueries.ts';
import type { Undo, UndoneRows } from './undo.ts';

const ID = stringField('id');
const CHANGES = kinds.change.kind;
const NO_ROWS: UndoneRows = new Map();

/**
 * A read-only view of a store transaction in which some changes are undone: it answers every read as the store did before these changes,
 * and rejects writes with a TypeError.
 *
 * Each read queries the store for the unchanged rows and adds the earlier rows in memory, so its cost grows with the number of undone rows
 * of the table. Only predicates on rows of another table that has undone rows (`size` with `of`) read a whole table.
 */
export class PastTransaction implements Transaction {
  readonly isView = true;
  readonly #tx: Transaction;
  readonly #undo: Undo;

  constructor(tx: Transaction, undo: Undo) {
    this.#tx = tx;
    this.#undo = undo;
  }

  get host(): unknown {
    return this.#tx.host;
  }

  async get(table: string, id: string): Promise<Row | undefined> {
    if (table === CHANGES && this.#undo.revision !== undefined && compareText(id, changeId(this.#undo.revision)) > 0) return undefined;
    const rows = this.#undone(table);
    return rows.has(id) ? rows.get(id) : this.#tx.get(table, id);
  }

  async list(table: string, { where, sort = [], offset = 0, limit = Infinity }: Query): Promise<readonly Row[]> {
    if (limit === 0) return [];
    if (this.#hasUndoneSubquery(where))
      return [...(await this.#everyMatch(table, where))].sort(comparator(sort)).slice(offset, offset + limit);
    const added = await this.#earlierMatches(table, where);
    // Each added row moves the rows behind it by one, so the page begins at most that much earlier in the store.
    const skipped = Math.max(0, offset - added.length);
    const margin = offset - skipped;
    const page = { where: this.#unchanged(table, where), sort, offset: skipped, ...(limit === Infinity ? {} : { limit: limit + margin }) };
    const unchanged = await this.#tx.list(table, page);
    if (added.length === 0) return unchanged;
    return [...unchanged, ...added].sort(comparator(sort)).slice(margin, margin + limit);
  }

  async count(table: string, where: Predicate): Promise<number> {
    if (this.#hasUndoneSubquery(where)) return (await this.#everyMatch(table, where)).length;
    const added = await this.#earlierMatches(table, where);
    return (await this.#tx.count(table, this.#unchanged(table, where))) + added.length;
  }

  async distinct(table: string, set: string): Promise<readonly string[]> {
    const rows = this.#undone(table);
    const current = await this.#tx.distinct(table, set);
    if (rows.size === 0) return current;
    const added = new Set(this.#earlier(table).flatMap((row) => elementsOf(row, set)));
    const changed = await this.#tx.list(table, { where: oneOf(ID, [...rows.keys()]) });
    const doubtful = new Set(changed.flatMap((row) => elementsOf(row, set)).filter((value) => !added.has(value)));
    const kept: string[] = [];
    for (const value of current) {
      const where = this.#unchanged(table, has(set, value));
      if (!doubtful.has(value) || (await this.#tx.list(table, { where, limit: 1 })).length > 0) kept.push(value);
    }
    return [...new Set([...kept, ...added])].sort(compareText);
  }

  async referenced(table: string, field: string, values: readonly string[], where: Predicate = ALL): Promise<readonly string[]> {
    if (this.#hasUndoneSubquery(where))
      return valuesIn(await this.#everyMatch(table, and(where, oneOf(stringField(field), values))), field, values);
    if (this.#undone(table).size === 0) return this.#tx.referenced(table, field, values, this.#upToRevision(table, where));
    const added = valuesIn(await this.#earlierMatches(table, where), field, values);
    const found = new Set([...added, ...(await this.#tx.referenced(table, field, values, this.#unchanged(table, where)))]);
    return [...new Set(values)].filter((value) => found.has(value));
  }

  readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const isUnaffected = (read: Read) => {
      const where = read.read === 'list' ? read.query.where : (read.where ?? ALL);
      return read.kind !== CHANGES && this.#undone(read.kind).size === 0 && !this.#hasUndoneSubquery(where);
    };
    return reads.every(isUnaffected) ? this.#tx.readAll(reads) : readEach(this, reads);
  }

  async revision(): Promise<number> {
    return this.#undo.revision ?? this.#tx.revision();
  }

  /** Supported only if the undone changes are those of the transaction itself: earlier index entries are not recorded. */
  verify(kind: string, page: VerifyPage): Promise<Verified> {
    return this.#undo.revision === undefined ? this.#tx.verify(kind, page) : rejectReadOnly();
  }

  readonly insert: Transaction['insert'] = rejectReadOnly;
  readonly update: Transaction['update'] = rejectReadOnly;
  readonly delete: Transaction['delete'] = rejectReadOnly;
  readonly nextRevision: Transaction['nextRevision'] = rejectReadOnly;
  readonly repair: Transaction['repair'] = rejectReadOnly;
  readonly forget: Transaction['forget'] = rejectReadOnly;

  #undone(table: string): UndoneRows {
    return this.#undo.tables.get(table) ?? NO_ROWS;
  }

  /** The undone rows of a table as they were. */
  #earlier(table: string): readonly Row[] {
    return [...this.#undone(table).values()].filter((row) => row !== undefined);
  }

  /** Restricts the change log to the records that it contained. */
  #upToRevision(table: string, where: Predicate): Predicate {
    const { revision } = this.#undo;
    if (table !== CHANGES || revision === undefined) return where;
    return and(where, { op: 'compare', field: ID, is: '<=', value: changeId(revision) });
  }

  /** Excludes undone rows from a predicate on the store. */
  #unchanged(table: string, where: Predicate): Predicate {
    const rows = this.#undone(table);
    return this.#upToRevision(table, rows.size === 0 ? where : and(where, not(oneOf(ID, [...rows.keys()]))));
  }

  async #matching(rows: readonly Row[], where: Predicate): Promise<readonly Row[]> {
    return rows.length === 0 ? rows : rows.filter(compileMatcher(where, await loadSubqueryRows(this, rows, where)));
  }

  #earlierMatches(table: string, where: Predicate): Promise<readonly Row[]> {
    return this.#matching(this.#earlier(table), where);
  }

  /** Evaluates a predicate in memory on all rows of a table. */
  async #everyMatch(table: string, where: Predicate): Promise<readonly Row[]> {
    const unchanged = await this.#tx.list(table, { where: this.#unchanged(table, ALL) });
    return this.#matching([...unchanged, ...this.#earlier(table)], where);
  }

  /** True if the store would evaluate a subquery on rows that have changed since. */
  #hasUndoneSubquery(where: Predicate): boolean {
    return hasSubqueryOn(where, (table) => this.#undone(table).size > 0);
  }
}

const rejectReadOnly = (): Promise<never> => Promise.reject(new TypeError('a past state is read-only'));

/** The elements of a set that stores index: texts. */
const elementsOf = (row: Row, set: string): readonly string[] => {
  const value = row[set];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
};

/** Filters `values`: returns those that a field has in at least one of the rows. */
const valuesIn = (rows: readonly Row[], field: string, values: readonly string[]): readonly string[] => {
  const present = new Set(rows.map((row) => row[field]));
  return [...new Set(values)].filter((value) => present.has(value));
};
