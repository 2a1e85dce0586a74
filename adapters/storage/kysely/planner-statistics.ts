/**
 * Fixed planner statistics, independent of the namespace and its size, for tables that the planner estimates badly without them. Migrations
 * write them. They are lost if someone runs `ANALYZE` or copies the database without them, so `open` checks and restores them.
 */
import type { ColumnSchema, StorageSchema } from '../../../src/adapter-kit.ts';
import { type Connection, run } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { namesOf } from './layout.ts';
import type { Sql } from './sql.ts';

/** The expected number of rows in an index (null: in the table), then per value of its first column, of its first two, and so on. */
export interface Expectation {
  readonly table: string;
  readonly index: string | null;
  readonly rows: readonly number[];
}

/**
 * The statistics describe a large namespace whose sets contain five out of fifty elements: in a smaller namespace, an unsuitable plan costs
 * little. If two indexes are equally suitable, the statistics favor the primary key, because the rows that are read next are adjacent in
 * it.
 */
const ROWS = 100_000;

export const rowStatistics = (prefix: string, kind: string): readonly Expectation[] => {
  const { rows: table, documents } = namesOf(prefix, kind);
  return [
    { table: documents, index: null, rows: [ROWS] },
    { table, index: table, rows: [ROWS, 0.9 * ROWS, 1] },
  ];
};

export const indexStatistics = (prefix: string, kind: string, { name, index }: ColumnSchema): readonly Expectation[] => {
  if (index === false) return [];
  const names = namesOf(prefix, kind);
  return [{ table: names.rows, index: names.index(name), rows: index === 'unique' ? [ROWS, ROWS, 1] : [ROWS, ROWS, ROWS / 2000, 1] }];
};

export const setStatistics = (prefix: string, kind: string, field: string): readonly Expectation[] => {
  const names = namesOf(prefix, kind);
  const table = names.set(field);
  return [
    { table, index: table, rows: [5 * ROWS, 5 * ROWS, ROWS / 10, 1] },
    { table, index: names.reverse(field), rows: [5 * ROWS, 5 * ROWS, 5, 2] },
  ];
};

/** The statistics that the migrations to this schema write. */
const schemaStatistics = (prefix: string, schema: StorageSchema): readonly Expectation[] =>
  schema.flatMap(({ kind, columns, sets }) => [
    ...rowStatistics(prefix, kind),
    ...columns.flatMap((column) => indexStatistics(prefix, kind, column)),
    ...sets.flatMap((set) => setStatistics(prefix, kind, set)),
  ]);

/** The statements that write statistics; none if the engine needs none. */
export const statisticsOf = ({ statistics }: SqlEngine, expected: readonly Expectation[]): readonly Sql[] =>
  statistics ? expected.map(({ table, index, rows }) => statistics.of(table, index, rows)) : [];

/** True if the database has exactly these statistics. */
export const hasStatistics = async (engine: SqlEngine, connection: Connection, prefix: string, schema: StorageSchema): Promise<boolean> => {
  const { statistics } = engine;
  if (!statistics) return true;
  const { rows } = await run(engine, connection, engine.tableCount(statistics.table));
  if (Number(rows[0]?.value) === 0) return false;
  const expected = schemaStatistics(prefix, schema);
  const tables = new Set(expected.map(({ table }) => table));
  const stored = (await run(engine, connection, statistics.all)).rows
    .filter((row) => tables.has(String(row.table_name)))
    .map((row) => JSON.stringify([row.table_name, row.index_name, row.rows]));
  const wanted = expected.map(({ table, index, rows: numbers }) => JSON.stringify([table, index, numbers.join(' ')]));
  return stored.length === wanted.length && new Set([...stored, ...wanted]).size === wanted.length;
};

/** Replaces the statistics. The connection must be in a write transaction. */
export const restoreStatistics = async (
  engine: SqlEngine,
  connection: Connection,
  prefix: string,
  schema: StorageSchema,
): Promise<void> => {
  const { statistics } = engine;
  if (!statistics) return;
  const expected = schemaStatistics(prefix, schema);
  const tables = new Set(expected.map(({ table }) => table));
  const deletions = [...tables].map((table) => statistics.forget(table));
  for (const statement of [statistics.load, ...deletions, ...statisticsOf(engine, expected), statistics.load])
    await run(engine, connection, statement);
};
