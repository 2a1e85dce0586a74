import { kinds } from '../api/kinds.ts';
import { changeId } from '../changelog/events.ts';
import { ALL, and, comparator, compareText, compileMatcher, has, not, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Query, Row, Transaction } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import { dependsOnOthers, lookupFor } from './other-rows.ts';
import type { Undo, UndoneRows } from './undo.ts';

const ID = stringField('id');
const CHANGES = kinds.change.kind;
const NO_ROWS: UndoneRows = new Map();

/**
 * A view of a store transaction in which some changes are undone. It answers every read as the store did before these changes, and refuses writes.
 *
 * Each read asks the store about the rows that did not change, and adds the earlier rows in memory, so its cost grows with the number of undone rows of the
 * table. Only predicates about rows of another table that has undone rows (`size` with `of`) read a whole table.
 */
export const pastTransaction = (tx: Transaction, undo: Undo): Transaction => {
  const undone = (table: string): UndoneRows => undo.tables.get(table) ?? NO_ROWS;
  /** Restricts the change log to what it contained. */
  const until = (table: string, where: Predicate): Predicate =>
    table === CHANGES && undo.revision !== undefined
      ? and(where, { op: 'compare', field: ID, is: '<=', value: changeId(undo.revision) })
      : where;
  const unchanged = (table: string, where: Predicate): Predicate => {
    const rows = undone(table);
    return until(table, rows.size === 0 ? where : and(where, not(oneOf(ID, [...rows.keys()]))));
  };
  const earlier = (table: string): readonly Row[] => [...undone(table).values()].filter((row) => row !== undefined);

  /** The earlier rows of the table that satisfy a predicate. */
  const restored = async (table: string, where: Predicate): Promise<readonly Row[]> => matching(earlier(table), where);
  const matching = async (rows: readonly Row[], where: Predicate): Promise<readonly Row[]> =>
    rows.length === 0 ? rows : rows.filter(compileMatcher(where, await lookupFor(list, rows, where)));
  /** True if the store would evaluate the predicate on rows that have changed since. */
  const isAboutUndone = (where: Predicate): boolean => dependsOnOthers(where, (table) => undone(table).size > 0);
  const everyMatch = async (table: string, where: Predicate): Promise<readonly Row[]> =>
    matching([...(await tx.list(table, { where: unchanged(table, ALL) })), ...earlier(table)], where);

  const list = async (table: string, { where, sort = [], offset = 0, limit = Infinity }: Query): Promise<readonly Row[]> => {
    if (limit === 0) return [];
    if (isAboutUndone(where)) return [...(await everyMatch(table, where))].sort(comparator(sort)).slice(offset, offset + limit);
    const added = await restored(table, where);
    // Each added row moves the rows behind it by one, so the page begins at most that much earlier in the store.
    const skipped = Math.max(0, offset - added.length);
    const margin = offset - skipped;
    const page = { where: unchanged(table, where), sort, offset: skipped, ...(limit === Infinity ? {} : { limit: limit + margin }) };
    const found = await tx.list(table, page);
    if (added.length === 0) return found;
    return [...found, ...added].sort(comparator(sort)).slice(margin, margin + limit);
  };

  const count = async (table: string, where: Predicate): Promise<number> => {
    if (isAboutUndone(where)) return (await everyMatch(table, where)).length;
    const added = await restored(table, where);
    return (await tx.count(table, unchanged(table, where))) + added.length;
  };

  const distinct = async (table: string, set: string): Promise<readonly string[]> => {
    const rows = undone(table);
    const now = await tx.distinct(table, set);
    if (rows.size === 0) return now;
    const added = new Set(earlier(table).flatMap((row) => elementsOf(row, set)));
    const changed = await tx.list(table, { where: oneOf(ID, [...rows.keys()]) });
    const doubtful = new Set(changed.flatMap((row) => elementsOf(row, set)).filter((value) => !added.has(value)));
    const kept: string[] = [];
    for (const value of now)
      if (!doubtful.has(value) || (await tx.list(table, { where: unchanged(table, has(set, value)), limit: 1 })).length > 0)
        kept.push(value);
    return [...new Set([...kept, ...added])].sort(compareText);
  };

  const referenced = async (table: string, field: string, values: readonly string[], where: Predicate = ALL) => {
    const rows = undone(table);
    if (isAboutUndone(where)) return among(values, field, await everyMatch(table, and(where, oneOf(stringField(field), values))));
    if (rows.size === 0) return tx.referenced(table, field, values, until(table, where));
    const added = among(values, field, await restored(table, where));
    const found = new Set([...added, ...(await tx.referenced(table, field, values, unchanged(table, where)))]);
    return [...new Set(values)].filter((value) => found.has(value));
  };

  const past: Transaction = {
    isView: true,
    // Only when asked for: a transaction that shares its commit has none.
    get host() {
      return tx.host;
    },
    get: async (table, id) => {
      if (table === CHANGES && undo.revision !== undefined && compareText(id, changeId(undo.revision)) > 0) return undefined;
      const rows = undone(table);
      return rows.has(id) ? rows.get(id) : tx.get(table, id);
    },
    list,
    count,
    distinct,
    referenced,
    readAll: (reads) =>
      reads.every(({ kind }) => undone(kind).size === 0 && kind !== CHANGES) && !reads.some(({ ...read }) => isAboutUndone(whereOf(read)))
        ? tx.readAll(reads)
        : readEach(past, reads),
    revision: async () => undo.revision ?? tx.revision(),
    insert: isReadOnly,
    update: isReadOnly,
    delete: isReadOnly,
    nextRevision: isReadOnly,
    // How rows are stored has no past.
    verify: (kind, page) => (undo.revision === undefined ? tx.verify(kind, page) : isReadOnly()),
    repair: isReadOnly,
    forget: isReadOnly,
  };
  return past;
};

const isReadOnly = (): Promise<never> => Promise.reject(new TypeError('a past state is read-only'));

const whereOf = (read: { readonly query?: Query; readonly where?: Predicate | undefined }): Predicate =>
  read.query?.where ?? read.where ?? ALL;

/** The elements of a set that stores index: texts. */
const elementsOf = (row: Row, set: string): readonly string[] => {
  const value = row[set];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
};

/** The values that a field has in at least one of the rows. */
const among = (values: readonly string[], field: string, rows: readonly Row[]): readonly string[] => {
  const present = new Set(rows.map((row) => row[field]));
  return [...new Set(values)].filter((value) => present.has(value));
};
