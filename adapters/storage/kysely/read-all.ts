/** Combines several reads into one statement. Each read is a part, and each row is marked with the number of its part. */
import { compareText, type Read, type ReadAnswer } from '../../../src/adapter-kit.ts';
import { valuesToArrange } from './arrange.ts';
import type { Result, ResultRow } from './result.ts';
import { rowsOf } from './rows.ts';
import type { Scope } from './scope.ts';
import { selectPage, selectReferenced } from './select.ts';
import { joined, raw, type Sql, sql } from './sql.ts';

/** Maximum number of parts per statement. */
const MAX_PARTS = 10;

/** True if a read can be part of a larger statement: it needs only one statement, and its result is ordered by id only. */
export const canBePart = (each: Read): boolean => {
  if (each.read === 'referenced') return each.values.length > 0;
  const { where, sort = [], offset = 0, limit } = each.query;
  return where.op !== 'none' && sort.length === 0 && offset === 0 && limit === undefined && valuesToArrange(where).size === 0;
};

/** The results of the reads, in the same order. Each must satisfy `canBePart`. */
export const readParts = async (
  run: (statement: Sql) => Promise<Result>,
  scope: Scope,
  reads: readonly Read[],
): Promise<readonly ReadAnswer[]> => {
  const answers: ReadAnswer[] = [];
  for (let at = 0; at < reads.length; at += MAX_PARTS) {
    const batch = reads.slice(at, at + MAX_PARTS);
    const { rows } = await run(
      joined(
        batch.map((each, part) => partOf(scope, each, part)),
        ' union all ',
      ),
    );
    const byPart = Map.groupBy(rows, ({ part }) => Number(part));
    for (const [part, each] of batch.entries()) answers.push(await answerOf(each, byPart.get(part) ?? []));
  }
  return answers;
};

const partOf = (scope: Scope, each: Read, part: number): Sql =>
  each.read === 'list'
    ? sql`select ${raw(String(part))} as part, q.document as document from (${selectPage(scope, each.kind, each.query, { isPart: true })}) as q`
    : sql`select ${raw(String(part))} as part, q.value as document from (${selectReferenced(scope, each.kind, each.field, [...new Set(each.values)], each.where)}) as q`;

// The rows of a part are in no particular order.
const answerOf = async (each: Read, rows: readonly ResultRow[]): Promise<ReadAnswer> =>
  each.read === 'list' ? (await rowsOf(rows)).toSorted((a, b) => compareText(a.id, b.id)) : rows.map(({ document }) => String(document));
