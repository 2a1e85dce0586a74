/** Composes the statements that read rows. Their results have a column `document` or `value`. */
import { ALL, type FieldRef, type Predicate, type Query, type Row, type SortKey, stringField } from '../../../src/adapter-kit.ts';
import { MIN_COMMON_SIZE } from './arrange.ts';
import { condition, idsOf, isIdList } from './compile.ts';
import { RowFields } from './fields.ts';
import { type Column, columnValue, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { alias, containsEach, drivenBySet, elementHasAll, idsContaining, isListed, MAX_SEPARATE_VALUES } from './sets.ts';
import { EMPTY, joined, raw, type Sql, sql } from './sql.ts';

/** Selects the document of a row, and the document's number. */
export const selectRow = (scope: Scope, kind: string, id: string): Sql => {
  const { documents } = scope.layout(kind);
  const row = fieldsOf(scope, kind);
  return sql`select d.id as number, d.document as document from ${documents} as d where d.id = (select t.document from ${scope.rows(kind, row)} and ${row.id} = ${id})`;
};

/**
 * Selects a page: finds its ids in the narrow rows, then fetches its documents.
 * @param options `isPart`: true for a part of a larger statement, whose rows may come in any order
 */
export const selectPage = (scope: Scope, kind: string, query: Query, { isPart = false } = {}): Sql => {
  const { where, sort = [] } = query;
  const row = fieldsOf(scope, kind);
  if (sort.length === 0 && isListed(where)) {
    const matching = sql`select id from (${idsContaining(scope, kind, where)}) as m`;
    const page = orderAndLimit(scope, raw('id'), query);
    // Some databases do not allow a limit directly within `in`.
    const ids = page === EMPTY ? matching : sql`select id from (${matching}${page}) as l`;
    const rows = sql`select t.document, t.id from ${scope.rows(kind, row)} and t.id in (${ids})`;
    return isPart ? documentsIn(scope, kind, rows) : documentsOf(scope, kind, rows, []);
  }
  const keys = keysOf(scope, row, sort);
  const { source, id } = matchingRows(scope, kind, row, where, sort.length === 0);
  if (isPart) return documentsIn(scope, kind, sql`select t.document, t.id from ${source}`);
  return pageOf(scope, kind, keys, source, id, query);
};

/** Selects the ids and the sort keys of a page: `id`, `k0`, `k1`, ... Of the documents, it reads only the keys. */
export const selectKeys = (scope: Scope, kind: string, { where, sort = [], offset = 0, limit }: Query): Sql => {
  const row = fieldsOf(scope, kind);
  const keys = keysOf(scope, row, sort);
  const { source, id } = matchingRows(scope, kind, row, where, false);
  const selected = joined([sql`select t.id as id`, ...keys.map(({ value, name }) => sql`${value} as ${name}`)], ', ');
  const page = limit === undefined ? EMPTY : scope.engine.page({ offset, limit });
  return sql`${selected} from ${source} order by ${ordered(keys, id)}${page}`;
};

/** The order of the rows of `selectKeys`. */
export const orderOfKeys = (sort: readonly SortKey[]): readonly SortKey[] =>
  distinctKeys(sort).map(({ field, descending }, index) => ({ field: { ...field, path: [`k${index}`] }, descending }));

interface Key {
  readonly value: Sql;
  readonly name: Sql;
  readonly direction: Sql;
  readonly isId: boolean;
}

const keysOf = (scope: Scope, row: RowFields, sort: readonly SortKey[]): readonly Key[] =>
  distinctKeys(sort).map(({ field, descending }, index) => ({
    value: row.find(field).order,
    name: raw(`k${index}`),
    direction: direction(scope, descending, isId(field)),
    isId: isId(field),
  }));

/** Removes duplicate keys, because some databases refuse to sort by a column twice, and all keys after the id, because it is unique. */
const distinctKeys = (sort: readonly SortKey[]): readonly SortKey[] => {
  const names = sort.map(({ field }) => JSON.stringify(field));
  const distinct = sort.filter((_, index) => names.indexOf(names[index] ?? '') === index);
  const id = distinct.findIndex(({ field }) => isId(field));
  return id === -1 ? distinct : distinct.slice(0, id + 1);
};

const isId = ({ path }: FieldRef): boolean => path.length === 1 && path[0] === 'id';

const ordered = (keys: readonly Key[], id: Sql): Sql => {
  const by = keys.map(({ value, direction }) => sql`${value}${direction}`);
  return joined(keys.at(-1)?.isId ? by : [...by, id], ', ');
};

const pageOf = (scope: Scope, kind: string, keys: readonly Key[], source: Sql, id: Sql, query: Query): Sql => {
  const selected = joined([sql`select t.document, t.id`, ...keys.map(({ value, name }) => sql`${value} as ${name}`)], ', ');
  return documentsOf(
    scope,
    kind,
    sql`${selected} from ${source}${orderAndLimit(scope, ordered(keys, id), query)}`,
    keys.map(({ name, direction }) => sql`${name}${direction}`),
  );
};

/**
 * The order and limit of a subquery. Without a limit, the order is omitted: some databases reject it there, and the outer query sorts
 * anyway.
 */
const orderAndLimit = ({ engine }: Scope, order: Sql, { offset = 0, limit }: Query): Sql =>
  limit === undefined && offset === 0 ? EMPTY : sql` order by ${order}${engine.page({ limit, offset })}`;

/** The minimum and maximum number of rows that `selectAmongFirst` tests. */
const SCANNED = { min: 200, max: 1000 } as const;
/** Maximum number of lookups in lists that `selectAmongFirst` may cost: the more lists, the fewer rows it tests. */
const MAX_LOOKUPS = 8000;
/** Number of rows to test per row of the page. */
const SCAN_FACTOR = 4;

/**
 * Selects a page by testing only the first rows in index order. This is fastest if the predicate requires a row to be in one of several
 * lists, and many rows are. The result is valid only if the page is full.
 * @returns undefined if the predicate has no such lists, or if no index has the order
 */
export const selectAmongFirst = (scope: Scope, kind: string, query: Query): Sql | undefined => {
  const { where, sort = [], offset = 0, limit = Infinity } = query;
  const terms = where.op === 'and' ? where.terms : [where];
  const lists = Math.max(0, ...terms.map(listCount));
  if (lists === 0) return undefined;
  const wanted = (offset + limit) * SCAN_FACTOR;
  const scanned = Math.min(Math.max(wanted, SCANNED.min), SCANNED.max, Math.floor(MAX_LOOKUPS / lists));
  if (wanted > scanned || !isOrderIndexed(scope, kind, sort)) return undefined;
  const row = new RowFields(scope.engine, scope.layout(kind), 't', true);
  const keys = keysOf(scope, row, sort);
  const matches = condition(scope, kind, row, where);
  if (row.needsDocument) return undefined;
  const first = sql`select t.* from ${scope.rows(kind, row)} order by ${ordered(keys, row.id)}${scope.engine.page({ limit: scanned, offset: 0 })}`;
  return pageOf(scope, kind, keys, sql`(${first}) as t where ${matches}`, row.id, query);
};

/**
 * Selects a page by testing only the first `scanned` rows in index order, with their documents. The result is valid only if the page is
 * full.
 * @returns undefined if no index has the order
 */
export const selectAmongFirstDocuments = (scope: Scope, kind: string, query: Query, scanned: number): Sql | undefined => {
  const { where, sort = [] } = query;
  if (!isOrderIndexed(scope, kind, sort)) return undefined;
  const row = new RowFields(scope.engine, scope.layout(kind), 't', true);
  const keys = keysOf(scope, row, sort);
  const first = sql`select t.* from ${scope.rows(kind, row)} order by ${ordered(keys, row.id)}${scope.engine.page({ limit: scanned, offset: 0 })}`;
  const matches = condition(scope, kind, row, where);
  const documents = sql`${scope.layout(kind).documents} as ${row.document} on ${row.document}.id = t.document`;
  return pageOf(scope, kind, keys, sql`(${first}) as t join ${documents} where ${matches}`, row.id, query);
};

/** The number of lists in which each row is looked up. The values of an `overlaps` count as one list. */
const listCount = (term: Predicate): number => {
  if (term.op === 'or' && term.terms.length > 1 && term.terms.every(isIdList)) return term.terms.length;
  return term.op === 'overlaps' && term.values.length > 1 ? 1 : 0;
};

/** True if rows can be read in this order: that of an index, or of their ids. */
export const isOrderIndexed = (scope: Scope, kind: string, sort: readonly SortKey[]): boolean =>
  sort.length <= 1 && sort.every((key) => isIndexed(scope, kind, key));

const isIndexed = (scope: Scope, kind: string, { field: { path } }: SortKey): boolean =>
  path.length === 1 && (path[0] === 'id' || (scope.layout(kind).columns.get(path[0])?.index ?? false) !== false);

export const selectCount = (scope: Scope, kind: string, where: Predicate): Sql => {
  if (where.op === 'all') return scope.number(rowsOfKind(kind));
  // Elements belong to existing rows only, so ids can be counted without reading the rows.
  if (where.op === 'overlaps' && where.values.length > MAX_SEPARATE_VALUES) {
    // The values are the driving table, because for `count(distinct id)` a planner might otherwise scan all elements in order of id.
    const element = alias(0);
    return sql`select count(distinct ${element}.id) as value from ${scope.engine.jsonElements(JSON.stringify(where.values), 'string')} cross join ${scope.set(kind, where.set, element)} and ${element}.value = e.value`;
  }
  if (isListed(where)) return sql`select count(*) as value from (${idsContaining(scope, kind, where)}) as m`;
  if (scope.engine.optimizationFence && where.op === 'and' && isIdList(where))
    return sql`select count(*) as value from (${idsOf(scope, kind, [where], ' union ')}) as m`;
  if (where.op === 'or' && where.terms.every(isIdList))
    return sql`select count(*) as value from (${idsOf(scope, kind, where.terms, ' union ')}) as m`;
  return sql`select count(*) as value from ${matchingRows(scope, kind, fieldsOf(scope, kind), where, true).source}`;
};

/** Selects the number of rows that contain each value, as `size`; may stop counting at `MIN_COMMON_SIZE`. */
export const selectSizes = (scope: Scope, kind: string, set: string, values: readonly string[]): Sql => {
  const { engine } = scope;
  const element = alias(0);
  const matching = sql`${scope.set(kind, set, element)} and ${element}.value = e.value`;
  const size = engine.countUpTo?.(matching, MIN_COMMON_SIZE) ?? sql`select count(*) from ${matching}`;
  return sql`select e.value as value, (${size}) as size from ${engine.jsonElements(JSON.stringify(values), 'string')}`;
};

/** Selects the distinct values in the sets of all rows. */
export const selectDistinct = (scope: Scope, kind: string, set: string): Sql => {
  const elements = scope.set(kind, set, raw('s'));
  return scope.engine.distinct?.(elements) ?? sql`select distinct s.value as value from ${elements} order by value`;
};

export const selectReferenced = (scope: Scope, kind: string, field: string, values: readonly string[], where: Predicate = ALL): Sql => {
  const row = fieldsOf(scope, kind);
  const matches = condition(scope, kind, row, where);
  const reference = row.find(stringField(field)).text ?? raw('null');
  return sql`select e.value as value from ${scope.engine.jsonElements(JSON.stringify(values), 'string')} where exists (select 1 from ${scope.rows(kind, row)} and ${reference} = e.value and ${matches})`;
};

/** Selects the fields of `row` whose values another row has already taken, in the order of `columns`. */
export const selectTaken = (scope: Scope, kind: string, row: Row, columns: readonly Column[], isNew: boolean): Sql => {
  const rows = fieldsOf(scope, kind);
  const taken = columns.map(
    (column) =>
      sql`select ${column.name} as value where exists (select 1 from ${scope.rows(kind, rows)} and ${rows.alias}.${column.sql} = ${columnValue(column, row)} and ${rows.id} <> ${row.id})`,
  );
  const id = sql`select 'id' as value where exists (select 1 from ${scope.rows(kind, rows)} and ${rows.id} = ${row.id})`;
  return joined(isNew ? [id, ...taken] : taken, ' union all ');
};

/** Returns `<rows> where <condition>`, driven by the table of a set if that is cheaper, and the id to order by. */
const matchingRows = (
  scope: Scope,
  kind: string,
  row: RowFields,
  where: Predicate,
  mayBeDrivenBySet: boolean,
): { readonly source: Sql; readonly id: Sql } => {
  const driven = mayBeDrivenBySet ? drivenBySet(scope.layout(kind), where) : undefined;
  const matches = condition(scope, kind, row, driven?.rest ?? where, 1);
  if (!driven) return { source: sql`${scope.rows(kind, row)} and ${matches}`, id: row.id };
  const element = alias(0);
  const contains = [
    elementHasAll(scope, kind, driven.driving, element),
    ...driven.further.flatMap((required) => containsEach(scope, kind, required, sql`${element}.id`)),
  ];
  return {
    source: sql`${scope.rowsWithElement(kind, driven.driving.set, element, row)} and ${joined([...contains, matches], ' and ')}`,
    id: sql`${element}.id`,
  };
};

const documentsOf = (scope: Scope, kind: string, page: Sql, order: readonly Sql[]): Sql =>
  sql`${documentsIn(scope, kind, page)} order by ${joined([...order, raw('p.id')], ', ')}`;

const documentsIn = (scope: Scope, kind: string, page: Sql): Sql =>
  sql`select (select d.document from ${scope.layout(kind).documents} as d where d.id = p.document) as document from (${page}) as p`;

const fieldsOf = (scope: Scope, kind: string): RowFields => new RowFields(scope.engine, scope.layout(kind), 't');

/** An id is never null, and the index of the primary key has no order of nulls: a database would sort all rows to apply one. */
const direction = ({ engine: { nulls } }: Scope, descending: SortKey['descending'], isIdKey: boolean): Sql => {
  if (isIdKey) return descending ? raw(' desc') : EMPTY;
  return descending ? sql` desc${nulls.descending}` : nulls.ascending;
};
