/** Verifies and repairs the index of the documents: columns, sets and counts must agree with the documents. */
import {
  createTimeSlice,
  ENTRIES_AT_ONCE,
  type IndexFault,
  inBatches,
  type Row,
  UniqueViolation,
  type Verified,
  type VerifyPage,
  yieldToEventLoop,
} from '../../../src/adapter-kit.ts';
import { type Column, columnValue, elementsOf, rowsOfKind } from './layout.ts';
import type { Result, ResultRow } from './result.ts';
import type { Scope } from './scope.ts';
import { joined, raw, type Sql, sql, type Value } from './sql.ts';
import type { TransactionRunner } from './transaction-runner.ts';
import { addElements, assigned, changeCount, updateUnique } from './write.ts';

type Run = (statement: Sql) => Promise<Result>;

/** The row parsed from a document, or the reason that it could not be parsed. */
export type ParsedDocument = { readonly is: 'readable'; readonly row: Row } | { readonly is: 'missing' | 'unreadable' };

export const verifyPage = async (run: Run, scope: Scope, kind: string, { after = '', limit }: VerifyPage): Promise<Verified> => {
  const ids = (await run(selectIds(scope, kind, after, limit))).rows.map((row) => String(row.id));
  const last = ids.at(-1);
  if (last === undefined || ids.length < limit) {
    const faults = last === undefined ? [] : await faultsBetween(run, scope, kind, after, last);
    return { faults: [...faults, ...(await countFault(run, scope, kind))], next: undefined };
  }
  return { faults: await faultsBetween(run, scope, kind, after, last), next: last };
};

/** Number of characters of documents to verify per slice of the event loop. */
const VERIFY_SLICE = 65_536;

const faultsBetween = async (run: Run, scope: Scope, kind: string, after: string, last: string): Promise<readonly IndexFault[]> => {
  const faults: IndexFault[] = [];
  const { rows } = await run(selectRows(scope, kind, after, last));
  let from = after;
  for (const part of inBatches(rows, (row) => String(row.document).length, VERIFY_SLICE)) {
    const to = String(part.at(-1)?.id);
    faults.push(...(await faultsOf(run, scope, kind, part, { after: from, last: to })));
    await yieldToEventLoop();
    from = to;
  }
  // Sets may contain elements of missing rows, even after the last existing row.
  return from === last ? faults : [...faults, ...(await faultsOf(run, scope, kind, [], { after: from, last }))];
};

interface Range {
  readonly after: string;
  readonly last: string;
}

/** @param rows all existing rows with ids in the range */
const faultsOf = async (run: Run, scope: Scope, kind: string, rows: readonly ResultRow[], range: Range): Promise<readonly IndexFault[]> => {
  const { columns, sets } = scope.layout(kind);
  const all = [...columns.values()];
  const documents = new Map<string, Row>();
  const faults: IndexFault[] = [];
  for (const row of rows) {
    const id = String(row.id);
    const parsed = parsedDocument(row.document, id);
    if (parsed.is === 'readable') {
      documents.set(id, parsed.row);
      const wrong = all.filter((column, at) => !isSame(column, row[`c${at}`], columnValue(column, parsed.row)));
      faults.push(
        ...wrong.map(({ name }) => ({ id, description: `${kind} ${id} has a different ${name} in its index than in its document` })),
      );
    } else faults.push({ id, description: `${kind} ${id} is listed, but its document is ${parsed.is}` });
  }
  const timeSlice = createTimeSlice(ENTRIES_AT_ONCE);
  for (const set of sets.keys()) {
    const { rows: stored } = await run(selectElements(scope, kind, set, range));
    await timeSlice(stored.length);
    const elementsById = Map.groupBy(stored, (row) => String(row.id));
    for (const id of new Set([...elementsById.keys(), ...documents.keys()])) {
      const row = documents.get(id);
      const elements = new Set(elementsById.get(id)?.map((element) => String(element.value)));
      if (!row) {
        // A row without a readable document is already reported.
        if (!faults.some((fault) => fault.id === id))
          faults.push({ id, description: `${kind} ${id} is indexed by ${set}, but does not exist` });
      } else if (!areSame(elements, elementsOf(row, set)))
        faults.push({ id, description: `${kind} ${id} has different ${set} in its index than in its document` });
    }
  }
  return faults;
};

const countFault = async (run: Run, scope: Scope, kind: string): Promise<readonly IndexFault[]> => {
  const { rows } = await run(
    sql`select (${scope.countRows(kind)}) as actual, coalesce((${scope.number(rowsOfKind(kind))}), 0) as expected`,
  );
  const isCorrect = Number(rows[0]?.actual) === Number(rows[0]?.expected);
  return isCorrect ? [] : [{ description: `the count of ${kind} rows is wrong` }];
};

/** Parses the document of a row. A document that belongs to another row counts as unreadable. */
const parsedDocument = (document: unknown, id: string): ParsedDocument => {
  if (typeof document !== 'string') return { is: 'missing' };
  try {
    const row: unknown = JSON.parse(document);
    // An object with this id was inserted as that row.
    if (typeof row === 'object' && row !== null && 'id' in row && row.id === id) return { is: 'readable', row: row as Row };
  } catch {
    // Reported below.
  }
  return { is: 'unreadable' };
};

/**
 * Selects the ids of existing rows, and those of missing rows that still have elements in sets. Each part of the union is limited to the
 * page.
 */
const selectIds = (scope: Scope, kind: string, after: string, limit: number): Sql => {
  const { sets } = scope.layout(kind);
  const cut = scope.engine.page({ limit, offset: 0 });
  const parts = [
    sql`select id from (select t.id from ${scope.rowsAs(kind, T)} and t.id > ${after} order by t.id${cut}) as r`,
    ...[...sets.keys()].map(
      (set) => sql`select id from (select distinct s.id from ${scope.set(kind, set, S)} and s.id > ${after} order by s.id${cut}) as e`,
    ),
  ];
  return sql`select id from (${joined(parts, ' union ')}) as u order by id${cut}`;
};

/** The document is the last column, because a synchronous driver reads such results in parts. */
const selectRows = (scope: Scope, kind: string, after: string, last: string): Sql => {
  const values = [...scope.layout(kind).columns.values()].map((column, at) => sql`t.${column.sql} as ${raw(`c${at}`)}`);
  const document = sql`(select d.document from ${scope.layout(kind).documents} as d where d.id = t.document) as document`;
  return sql`select ${joined([raw('t.id as id'), ...values, document], ', ')} from ${scope.rowsAs(kind, T)} and t.id > ${after} and t.id <= ${last} order by t.id`;
};

const selectElements = (scope: Scope, kind: string, set: string, { after, last }: Range): Sql =>
  sql`select s.id as id, s.value as value from ${scope.set(kind, set, S)} and s.id > ${after} and s.id <= ${last} order by s.id`;

const T = raw('t');
const S = raw('s');

const areSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every((each) => b.has(each));

/** Converts the stored value first: some databases have no booleans, and some drivers return numbers as text. */
const isSame = ({ type }: Column, stored: unknown, expected: Value): boolean => {
  if (stored === null || expected === null) return stored === expected;
  if (type === 'boolean') return Boolean(stored) === expected;
  return (type === 'number' ? Number(stored) : stored) === expected;
};

export const repairCount = async (runner: TransactionRunner, kind: string): Promise<void> => {
  const value = sql`(${runner.scope.countRows(kind)})`;
  await runner.runInOrder(runner.scope.change(rowsOfKind(kind), { existing: 'set', value, returning: false }));
};

/** @returns false if the document is unreadable, or if a unique value is taken */
export const repairRow = async (runner: TransactionRunner, kind: string, id: string): Promise<boolean> => {
  const { scope } = runner;
  const { columns, documents, sets } = scope.layout(kind);
  const { rows } = await runner.run(
    sql`select (select d.document from ${documents} as d where d.id = t.document) as document from ${scope.rowsAs(kind, raw('t'))} and t.id = ${id}`,
  );
  const parsed = rows[0] && parsedDocument(rows[0].document, id);
  if (parsed?.is === 'unreadable') return false;
  if (parsed?.is === 'readable') {
    const all = [...columns.values()];
    try {
      await updateUnique(runner, kind, parsed.row, all, sql`${assigned(scope, kind, all, parsed.row)} and id = ${id}`);
    } catch (error) {
      if (error instanceof UniqueViolation) return false;
      throw error;
    }
  }
  if (parsed?.is === 'missing') {
    await runner.run(sql`${scope.deleteRows(kind)} and id = ${id}`);
    await changeCount(runner, kind, -1);
  }
  for (const set of sets.keys()) {
    await runner.run(sql`${scope.deleteElements(kind, set)} and id = ${id}`);
    if (parsed?.is === 'readable') await addElements(runner, kind, set, id, [...elementsOf(parsed.row, set)]);
  }
  return true;
};
