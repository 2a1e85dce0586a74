/**
 * Divides a scan into windows of ids, each a statement of its own: an engine in the process of the controller would otherwise keep everybody waiting until it
 * has read the documents of all rows.
 */
import { ALL, and, comparator, createTimeSlice, type Predicate, type Query, type Row, stringField } from '../../../src/adapter-kit.ts';
import { condition } from './compile.ts';
import { RowFields } from './fields.ts';
import type { Result } from './result.ts';
import type { Scope } from './scope.ts';
import { EMPTY, raw, type Sql, sql } from './sql.ts';

/** Number of rows whose documents are read in one piece: some milliseconds of work. */
export const SCANNED_AT_ONCE = 2000;
/** Maximum number of matches that a page may skip or hold: those that it skips are read, too. */
const MAX_PAGE = 1000;

/** True if the document of every row must be read: no part of the predicate is served by a column, or all rows are sorted by what no column has. */
export const isScan = (scope: Scope, kind: string, { where, sort = [] }: Query): boolean => {
  if (!scope.engine.runsInProcess) return false;
  const needsDocument = (ask: (row: RowFields) => Sql): boolean => {
    const row = new RowFields(scope.engine, scope.layout(kind), 't');
    ask(row);
    return row.needsDocument;
  };
  if (where.op === 'all') return sort.some(({ field }) => needsDocument((row) => row.find(field).order));
  return (where.op === 'and' ? where.terms : [where]).every((term) => needsDocument((row) => condition(scope, kind, row, term)));
};

/** True if a page can be put together from windows: in order of id, also without an end. */
export const isPageOfWindows = ({ sort = [], offset = 0, limit = Infinity }: Query): boolean =>
  limit === Infinity ? sort.length === 0 && offset === 0 : offset + limit <= MAX_PAGE;

const ID = stringField('id');
const idIs = (is: '>' | '<=', value: string | undefined): Predicate =>
  value === undefined ? ALL : { op: 'compare', field: ID, is, value };

/** The windows of a table, in order of id. Others have turns between them. A table with few rows is one window. */
export async function* windowsOf(run: (statement: Sql) => Promise<Result>, scope: Scope, kind: string): AsyncGenerator<Predicate> {
  const yieldIfDue = createTimeSlice(SCANNED_AT_ONCE);
  for (let after: string | undefined; ; ) {
    const [end] = (await run(selectEnd(scope, kind, after))).rows;
    if (!end) return yield idIs('>', after);
    const last = String(end.value);
    yield and(idIs('>', after), idIs('<=', last));
    after = last;
    await yieldIfDue(SCANNED_AT_ONCE);
  }
}

/** Selects the id of the last row of the window after an id; none if fewer rows are left. */
const selectEnd = (scope: Scope, kind: string, after: string | undefined): Sql =>
  sql`select t.id as value from ${scope.rowsAs(kind, raw('t'))}${after === undefined ? EMPTY : sql` and t.id > ${after}`} order by t.id${scope.engine.page({ limit: 1, offset: SCANNED_AT_ONCE - 1 })}`;

/** A page: in order of id, from the windows until it is full; in another order, from the first rows of each. @param list reads what one window has of it */
export const pageOfWindows = async (
  windows: AsyncIterable<Predicate>,
  { where, sort = [], offset = 0, limit = Infinity }: Query,
  list: (query: Query) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const end = offset + limit;
  if (sort.length > 0) {
    let first: readonly Row[] = [];
    for await (const window of windows) {
      const rows = await list({ where: and(where, window), sort, limit: end });
      if (rows.length > 0) first = [...first, ...rows].sort(comparator(sort)).slice(0, end);
    }
    return first.slice(offset);
  }
  const found: Row[] = [];
  for await (const window of windows) {
    const wanted = end - found.length;
    const rows = await list({ where: and(where, window), ...(wanted === Infinity ? {} : { limit: wanted }) });
    for (const row of rows) found.push(row);
    if (found.length >= end) break;
  }
  return found.slice(offset);
};
