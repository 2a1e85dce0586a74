/** The statements that read. What they select is called `document` or `value`. */

import { ALL, type FieldRef, type Predicate, type Query, type Row, type SortKey, stringField } from '../../../src/adapter-kit.ts';
import { MANY } from './arrange.ts';
import { condition, idsOf, isIdList } from './compile.ts';
import { elementToStartFrom, isListed } from './driver.ts';
import { RowFields } from './fields.ts';
import { type Column, columnValue, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { alias, FEW, holders, holdsAll, holdsToo } from './sets.ts';
import { EMPTY, joined, raw, type Sql, sql } from './sql.ts';

/** The document of a row with its number. */
export const selectRow = (scope: Scope, kind: string, id: string): Sql => {
  const { documents } = scope.layout(kind);
  const row = fieldsOf(scope, kind);
  return sql`select d.id as number, d.document as document from ${documents} as d where d.id = (select t.document from ${scope.rows(kind, row)} and ${row.id} = ${id})`;
};

/** Finds the page in the narrow rows, then fetches its documents. */
export const selectPage = (scope: Scope, kind: string, query: Query): Sql => {
  const { where, sort = [] } = query;
  const row = fieldsOf(scope, kind);
  if (sort.length === 0 && isListed(where)) {
    const held = sql`select id from (${holders(scope, kind, where)}) as m`;
    const page = cut(scope, raw('id'), query);
    // Not every database allows a limit directly within `in`.
    const ids = page === EMPTY ? held : sql`select id from (${held}${page}) as l`;
    return documentsOf(scope, kind, sql`select t.document, t.id from ${scope.rows(kind, row)} and t.id in (${ids})`, []);
  }
  const keys = keysOf(scope, row, sort);
  const { source, id } = found(scope, kind, row, where, sort.length === 0);
  return pageOf(scope, kind, keys, source, id, query);
};

interface Key {
  readonly value: Sql;
  readonly name: Sql;
  readonly direction: Sql;
  readonly isId: boolean;
}

const keysOf = (scope: Scope, row: RowFields, sort: readonly SortKey[]): readonly Key[] =>
  deciding(sort).map(({ field, descending }, index) => ({
    value: row.find(field).order,
    name: raw(`k${index}`),
    direction: direction(scope, descending),
    isId: isId(field),
  }));

/** Each field once, and none after the id, which no two rows share: not every database sorts by a column twice. */
const deciding = (sort: readonly SortKey[]): readonly SortKey[] => {
  const names = sort.map(({ field }) => JSON.stringify(field));
  const once = sort.filter((_, index) => names.indexOf(names[index] ?? '') === index);
  const id = once.findIndex(({ field }) => isId(field));
  return id === -1 ? once : once.slice(0, id + 1);
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
    sql`${selected} from ${source}${cut(scope, ordered(keys, id), query)}`,
    keys.map(({ name, direction }) => sql`${name}${direction}`),
  );
};

/** A page of a subquery. Only a page has an order there: not every database allows another one, and what is around the subquery sorts anyway. */
const cut = ({ engine }: Scope, order: Sql, { offset = 0, limit }: Query): Sql =>
  limit === undefined && offset === 0 ? EMPTY : sql` order by ${order}${engine.page({ limit, offset })}`;

/** Among how many rows, the first in the order wanted, a page is looked for before all that satisfy the question are found: fewer when each is asked for many lists. */
const LOOKED_AT = { least: 200, most: 1000 } as const;
const LISTS_LOOKED_AT = 8000;
/** A page is looked for among so many times its rows. */
const TIMES = 4;

/**
 * A page of what many rows satisfy by being in one of several lists: it is found soonest by looking at the first rows in the order
 * wanted. It is only the page if it is full.
 * @returns undefined when the question is of another kind, or no index has that order
 */
export const selectAmongFirst = (scope: Scope, kind: string, query: Query): Sql | undefined => {
  const { where, sort = [], offset = 0, limit = Infinity } = query;
  const terms = where.op === 'and' ? where.terms : [where];
  const lists = Math.max(0, ...terms.map(listsOf));
  if (lists === 0) return undefined;
  const wanted = (offset + limit) * TIMES;
  const lookedAt = Math.min(Math.max(wanted, LOOKED_AT.least), LOOKED_AT.most, Math.floor(LISTS_LOOKED_AT / lists));
  if (wanted > lookedAt || sort.length > 1 || !sort.every((key) => isIndexed(scope, kind, key))) return undefined;
  const row = new RowFields(scope.engine, scope.layout(kind), 't', true);
  const keys = keysOf(scope, row, sort);
  const asked = condition(scope, kind, row, where);
  if (row.needsDocument) return undefined;
  const first = sql`select t.* from ${scope.rows(kind, row)} order by ${ordered(keys, row.id)}${scope.engine.page({ limit: lookedAt, offset: 0 })}`;
  return pageOf(scope, kind, keys, sql`(${first}) as t where ${asked}`, row.id, query);
};

/** How often each row is looked up in a list of ids: once for all values of which one suffices. */
const listsOf = (term: Predicate): number => {
  if (term.op === 'or' && term.terms.length > 1 && term.terms.every(isIdList)) return term.terms.length;
  return term.op === 'overlaps' && term.values.length > 1 ? 1 : 0;
};

const isIndexed = (scope: Scope, kind: string, { field: { path } }: SortKey): boolean =>
  path.length === 1 && (path[0] === 'id' || (scope.layout(kind).columns.get(path[0])?.index ?? false) !== false);

export const selectCount = (scope: Scope, kind: string, where: Predicate): Sql => {
  if (where.op === 'all') return scope.number(rowsOfKind(kind));
  // Only rows that are there have elements, so that to count ids no row needs to be looked at.
  if (where.op === 'overlaps' && where.values.length > FEW) {
    // Begun at the values: an engine that counts ids once could else read all elements there are, in the order of ids.
    const element = alias(0);
    return sql`select count(distinct ${element}.id) as value from ${scope.engine.jsonElements(JSON.stringify(where.values), 'string')} cross join ${scope.set(kind, where.set, element)} and ${element}.value = e.value`;
  }
  if (isListed(where)) return sql`select count(*) as value from (${holders(scope, kind, where)}) as m`;
  if (scope.engine.optimizationFence && where.op === 'and' && isIdList(where))
    return sql`select count(*) as value from (${idsOf(scope, kind, [where], ' union ')}) as m`;
  if (where.op === 'or' && where.terms.every(isIdList))
    return sql`select count(*) as value from (${idsOf(scope, kind, where.terms, ' union ')}) as m`;
  return sql`select count(*) as value from ${found(scope, kind, fieldsOf(scope, kind), where, true).source}`;
};

/** How many rows hold each value, as `size`; those that `MANY` hold need not be counted to the end. */
export const selectSizes = (scope: Scope, kind: string, set: string, values: readonly string[]): Sql => {
  const { engine } = scope;
  const element = alias(0);
  const holding = sql`${scope.set(kind, set, element)} and ${element}.value = e.value`;
  const size = engine.countUpTo?.(holding, MANY) ?? sql`select count(*) from ${holding}`;
  return sql`select e.value as value, (${size}) as size from ${engine.jsonElements(JSON.stringify(values), 'string')}`;
};

/** All values of a set, each once. */
export const selectDistinct = (scope: Scope, kind: string, set: string): Sql => {
  const elements = scope.set(kind, set, raw('s'));
  return scope.engine.distinct?.(elements) ?? sql`select distinct s.value as value from ${elements} order by value`;
};

export const selectReferenced = (scope: Scope, kind: string, field: string, values: readonly string[], where: Predicate = ALL): Sql => {
  const row = fieldsOf(scope, kind);
  const asked = condition(scope, kind, row, where);
  const held = row.find(stringField(field)).text ?? raw('null');
  return sql`select e.value as value from ${scope.engine.jsonElements(JSON.stringify(values), 'string')} where exists (select 1 from ${scope.rows(kind, row)} and ${held} = e.value and ${asked})`;
};

/** The first field of a row whose value another row has. */
export const selectTaken = (scope: Scope, kind: string, row: Row, columns: readonly Column[], isNew: boolean): Sql => {
  const rows = fieldsOf(scope, kind);
  const taken = columns.map(
    (column) =>
      sql`select ${column.name} as value where exists (select 1 from ${scope.rows(kind, rows)} and ${rows.alias}.${column.sql} = ${columnValue(column, row)} and ${rows.id} <> ${row.id})`,
  );
  const id = sql`select 'id' as value where exists (select 1 from ${scope.rows(kind, rows)} and ${rows.id} = ${row.id})`;
  return joined(isNew ? [id, ...taken] : taken, ' union all ');
};

/** `<rows> where <asked>`, started from the element of a set if that is the short way, and the id to order by. */
const found = (
  scope: Scope,
  kind: string,
  row: RowFields,
  where: Predicate,
  mayStartFromElement: boolean,
): { readonly source: Sql; readonly id: Sql } => {
  const start = mayStartFromElement ? elementToStartFrom(scope.layout(kind), where) : undefined;
  const asked = condition(scope, kind, row, start?.rest ?? where, 1);
  if (!start) return { source: sql`${scope.rows(kind, row)} and ${asked}`, id: row.id };
  const element = alias(0);
  const held = [
    holdsAll(scope, kind, start.held, element),
    ...start.alsoHeld.flatMap((also) => holdsToo(scope, kind, also, sql`${element}.id`)),
  ];
  return {
    source: sql`${scope.rowsWithElement(kind, start.held.set, element, row)} and ${joined([...held, asked], ' and ')}`,
    id: sql`${element}.id`,
  };
};

const documentsOf = (scope: Scope, kind: string, page: Sql, order: readonly Sql[]): Sql =>
  sql`select (select d.document from ${scope.layout(kind).documents} as d where d.id = p.document) as document from (${page}) as p order by ${joined([...order, raw('p.id')], ', ')}`;

const fieldsOf = (scope: Scope, kind: string): RowFields => new RowFields(scope.engine, scope.layout(kind), 't');

const direction = ({ engine }: Scope, descending: SortKey['descending']): Sql =>
  descending ? sql` desc${engine.nulls.descending}` : engine.nulls.ascending;
