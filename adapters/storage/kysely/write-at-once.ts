/**
 * Inserts, updates or deletes a row with its document and set elements in one statement, for engines where `with` may modify tables
 * (`writesAtOnce`). In the statement, `d` is the document and `r` the row. If `r` writes nothing, the parts after it write nothing either.
 */
import type { Row } from '../../../src/adapter-kit.ts';
import { rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { joined, raw, type Sql, sql, type Value } from './sql.ts';

/** The changes to a set. */
export interface SetChange {
  readonly set: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * The statement returns the number of the document as `id`, and the number of rows as `written`: 0 if a unique value is taken.
 * @param columns the columns other than `ns` and `document`
 */
export const insertAtOnce = (
  scope: Scope,
  kind: string,
  row: Row,
  columns: readonly (readonly [Sql, Value])[],
  sets: readonly SetChange[],
): Sql => {
  const { documents } = scope.layout(kind);
  const values = [...columns, [raw('document'), raw('d.id')] as const];
  return withParts(
    [
      ['d', sql`insert into ${documents} (document) values (${JSON.stringify(row)}) returning id`],
      ['r', sql`${scope.insertRow(kind, values, raw('d'))} on conflict do nothing returning id`],
      ...elementParts(scope, kind, row.id, sets),
      ['c', countPart(scope, kind, 1)],
    ],
    raw('select (select id from d) as id, (select count(*) from r) as written'),
  );
};

/**
 * The statement returns the number of rows as `written`.
 * @param update the statement that changes the row, without `returning`
 */
export const updateAtOnce = (scope: Scope, kind: string, row: Row, number: number, update: Sql, sets: readonly SetChange[]): Sql =>
  withParts(
    [
      ['r', sql`${update} returning id`],
      ['d', sql`update ${scope.layout(kind).documents} set document = ${JSON.stringify(row)} where id = ${number} and ${IF_WRITTEN}`],
      ...elementParts(scope, kind, row.id, sets),
    ],
    WRITTEN,
  );

/** The statement returns the number of deleted rows as `written`. */
export const deleteAtOnce = (scope: Scope, kind: string, id: string): Sql => {
  const { documents, sets } = scope.layout(kind);
  return withParts(
    [
      ['r', sql`${scope.deleteRows(kind)} and id = ${id} returning document`],
      ['d', sql`delete from ${documents} where id in (select document from r)`],
      ...[...sets.keys()].map((set, i) => [`s${i}`, sql`${scope.deleteElements(kind, set)} and id = ${id} and ${IF_WRITTEN}`] as const),
      ['c', countPart(scope, kind, -1)],
    ],
    WRITTEN,
  );
};

type Part = readonly [name: string, statement: Sql];

const IF_WRITTEN = raw('exists (select 1 from r)');
const WRITTEN = raw('select count(*) as written from r');

const withParts = (parts: readonly Part[], answer: Sql): Sql =>
  sql`with ${joined(
    parts.map(([name, statement]) => sql`${raw(name)} as (${statement})`),
    ', ',
  )} ${answer}`;

const elementParts = (scope: Scope, kind: string, id: string, sets: readonly SetChange[]): readonly Part[] =>
  sets.flatMap(({ set, removed, added }, i): readonly Part[] => [
    ...(removed.length > 0 ? [[`x${i}`, sql`${scope.deleteElementsOf(kind, set, id, removed)} and ${IF_WRITTEN}`] as const] : []),
    ...(added.length > 0 ? [[`s${i}`, sql`${scope.insertElements(kind, set, id, added)} where ${IF_WRITTEN}`] as const] : []),
  ]);

const countPart = (scope: Scope, kind: string, by: 1 | -1): Sql =>
  joined(scope.change(rowsOfKind(kind), { existing: 'add', value: sql`${by}`, returning: false, where: IF_WRITTEN }), '; ');
