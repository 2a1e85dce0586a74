/** The statements that read. What they select is called `document` or `value`. */

import { ALL, type Predicate, type Query, type Row, type SortKey, text } from '../../../src/adapter-kit.ts';
import { alias, condition, holdsAll, holdsToo, members } from './compile.ts';
import { elementToStartFrom, isListed } from './driver.ts';
import { RowFields } from './fields.ts';
import { type Column, columnValue, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { joined, raw, type Sql, sql } from './sql.ts';

/** The document of a row with its number. */
export const selectRow = (scope: Scope, kind: string, id: string): Sql => {
  const { documents } = scope.layout(kind);
  const row = fieldsOf(scope, kind);
  return sql`select d.id as number, d.document as document from ${documents} as d where d.id = (select t.document from ${scope.rows(kind, row)} and ${row.id} = ${id})`;
};

/** Finds the page in the narrow rows, then fetches its documents. */
export const selectPage = (scope: Scope, kind: string, { where, sort = [], offset = 0, limit }: Query): Sql => {
  const row = fieldsOf(scope, kind);
  const cut = limit === undefined && offset === 0 ? sql`` : scope.engine.page(limit, offset);
  if (sort.length === 0 && isListed(where)) {
    const ids = sql`select id from (${members(scope, kind, where)}) as m order by id${cut}`;
    return documentsOf(scope, kind, sql`select t.document, t.id from ${scope.rows(kind, row)} and t.id in (${ids})`, []);
  }
  const keys = sort.map(({ field, descending }, index) => ({
    value: row.find(field).order,
    name: raw(`k${index}`),
    direction: direction(scope, descending),
  }));
  const { source, id } = found(scope, kind, row, where, sort.length === 0);
  const selected = joined([sql`select t.document, t.id`, ...keys.map(({ value, name }) => sql`${value} as ${name}`)], ', ');
  const order = joined([...keys.map(({ value, direction }) => sql`${value}${direction}`), id], ', ');
  return documentsOf(
    scope,
    kind,
    sql`${selected} from ${source} order by ${order}${cut}`,
    keys.map(({ name, direction }) => sql`${name}${direction}`),
  );
};

export const selectCount = (scope: Scope, kind: string, where: Predicate): Sql => {
  if (where.op === 'all') return scope.number(rowsOfKind(kind));
  if (isListed(where)) return sql`select count(*) as value from (${members(scope, kind, where)}) as m`;
  return sql`select count(*) as value from ${found(scope, kind, fieldsOf(scope, kind), where, true).source}`;
};

/** Steps from one value to the next larger one, so that the cost follows the number of values and not of rows. */
export const selectDistinct = (scope: Scope, kind: string, set: string): Sql => {
  const from = scope.set(kind, set, raw('s'));
  return sql`with recursive v(value) as (select min(s.value) from ${from} union all select (select min(s.value) from ${from} and s.value > v.value) from v where v.value is not null)
    select value from v where value is not null order by value`;
};

export const selectReferenced = (scope: Scope, kind: string, field: string, values: readonly string[], where: Predicate = ALL): Sql => {
  const row = fieldsOf(scope, kind);
  const asked = condition(scope, kind, row, where);
  const held = row.find(text(field)).text ?? raw('null');
  return sql`select e.value as value from ${scope.engine.elements(JSON.stringify(values), 'string')} where exists (select 1 from ${scope.rows(kind, row)} and ${held} = e.value and ${asked})`;
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
  const held = [holdsAll(scope, kind, start.held, element), ...start.alsoHeld.flatMap((also) => holdsToo(scope, kind, also, element))];
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
