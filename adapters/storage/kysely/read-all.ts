/** Several queries in one statement: one part each, whose rows are marked with their part. */
import { compareText, type Read, type ReadAnswer } from '../../../src/adapter-kit.ts';
import { valuesToArrange } from './arrange.ts';
import type { Result, ResultRow } from './result.ts';
import { rowsOf } from './rows.ts';
import type { Scope } from './scope.ts';
import { selectPage, selectReferenced } from './select.ts';
import { joined, raw, type Sql, sql } from './sql.ts';

/** Maximum number of parts of one statement. */
const MAX_PARTS = 10;

/** True if a read is one statement whose result needs no order other than by id: it can be part of another statement. */
export const canBePart = (each: Read): boolean => {
  if (each.read === 'referenced') return each.values.length > 0;
  const { where, sort = [], offset = 0, limit } = each.query;
  return where.op !== 'none' && sort.length === 0 && offset === 0 && limit === undefined && valuesToArrange(where).size === 0;
};

/** The results of reads that can be parts, in the same order. */
export const readParts = async (
  run: (statement: Sql) => Promise<Result>,
  scope: Scope,
  reads: readonly Read[],
): Promise<readonly ReadAnswer[]> => {
  const answers: ReadAnswer[] = [];
  for (let at = 0; at < reads.length; at += MAX_PARTS) {
    const some = reads.slice(at, at + MAX_PARTS);
    const { rows } = await run(
      joined(
        some.map((each, part) => partOf(scope, each, part)),
        ' union all ',
      ),
    );
    const byPart = Map.groupBy(rows, ({ part }) => Number(part));
    for (const [part, each] of some.entries()) answers.push(await answerOf(each, byPart.get(part) ?? []));
  }
  return answers;
};

const partOf = (scope: Scope, each: Read, part: number): Sql =>
  each.read === 'list'
    ? sql`select ${raw(String(part))} as part, q.document as document from (${selectPage(scope, each.kind, each.query, { isPart: true })}) as q`
    : sql`select ${raw(String(part))} as part, q.value as document from (${selectReferenced(scope, each.kind, each.field, [...new Set(each.values)], each.where)}) as q`;

// Rows of parts come in any order.
const answerOf = async (each: Read, rows: readonly ResultRow[]): Promise<ReadAnswer> =>
  each.read === 'list' ? (await rowsOf(rows)).toSorted((a, b) => compareText(a.id, b.id)) : rows.map(({ document }) => String(document));
