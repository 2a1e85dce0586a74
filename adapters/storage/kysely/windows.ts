/**
 * Divides a scan into windows of ids, each read by a separate statement: an engine in the process of the controller would otherwise block
 * the event loop until it has read the documents of all rows.
 */
import { ALL, and, comparator, createTimeSlice, type Predicate, type Query, type Row, stringField } from '../../../src/adapter-kit.ts';
import { condition } from './compile.ts';
import { RowFields } from './fields.ts';
import type { Result } from './result.ts';
import type { Scope } from './scope.ts';
import { isOrderIndexed } from './select.ts';
import { EMPTY, raw, type Sql, sql } from './sql.ts';

/** Number of rows per window: a few milliseconds of work. */
export const SCANNED_AT_ONCE = 2000;
/** Maximum number of matches that a page may skip and contain. Skipped matches are read, too. */
const MAX_PAGE = 1000;

/**
 * True if the document of every row must be read: no term of the predicate can be evaluated on columns, or all rows are sorted by a field
 * without a column.
 */
export const isScan = (scope: Scope, kind: string, { where, sort = [] }: Query): boolean => {
  if (!scope.engine.runsInProcess) return false;
  const needsDocument = (compose: (row: RowFields) => Sql): boolean => {
    const row = new RowFields(scope.engine, scope.layout(kind), 't');
    compose(row);
    return row.needsDocument;
  };
  if (where.op === 'all') return sort.some(({ field }) => needsDocument((row) => row.find(field).order));
  return (where.op === 'and' ? where.terms : [where]).every((term) => needsDocument((row) => condition(scope, kind, row, term)));
};

/** True if a page is so far behind the first row that too many rows precede it to be read, and if no index has its order. */
export const isDeepPage = (scope: Scope, kind: string, { sort = [], offset = 0, limit = Infinity }: Query): boolean =>
  offset + limit > MAX_PAGE && limit < Infinity && scope.engine.runsInProcess === true && !isOrderIndexed(scope, kind, sort);

/** True if a page can be assembled from windows. In order of id, it may be unlimited. */
export const isPageOfWindows = ({ sort = [], offset = 0, limit = Infinity }: Query): boolean =>
  limit === Infinity ? sort.length === 0 && offset === 0 : offset + limit <= MAX_PAGE;

const ID = stringField('id');
const idIs = (is: '>' | '<=', value: string | undefined): Predicate =>
  value === undefined ? ALL : { op: 'compare', field: ID, is, value };

/** The windows of a table, in order of id. Yields to the event loop between them. A small table is a single window. */
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

/** Selects the id of the last row of the window after an id; no row if the last window is reached. */
const selectEnd = (scope: Scope, kind: string, after: string | undefined): Sql =>
  sql`select t.id as value from ${scope.rowsAs(kind, raw('t'))}${after === undefined ? EMPTY : sql` and t.id > ${after}`} order by t.id${scope.engine.page({ limit: 1, offset: SCANNED_AT_ONCE - 1 })}`;

/**
 * Reads a page: in order of id, from one window after another until the page is full; in another order, from the first rows of each window.
 * @param list reads the rows of one window
 */
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
