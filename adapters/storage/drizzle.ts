/**
 * Calls of the controller within Drizzle transactions.
 * @module overlay-controller/storage/drizzle
 */
import { is, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { SQLiteTransaction } from 'drizzle-orm/sqlite-core';
import type { HostStatement, HostTransactions } from './kysely/host-transactions.ts';
import type { Result, ResultRow } from './kysely/result.ts';

/** A Drizzle transaction on PostgreSQL or SQLite, reduced to the members that are used here. */
export type DrizzleTransaction =
  | {
      /** Executes a statement (PostgreSQL). */
      execute(query: SQLWrapper): PromiseLike<unknown>;
    }
  | {
      /** Executes a statement that returns rows (SQLite). */
      all(query: SQLWrapper): PromiseLike<readonly unknown[]>;
      /** Executes any other statement (SQLite). */
      run(query: SQLWrapper): PromiseLike<unknown>;
    };

/**
 * Accepts the transactions that Drizzle's `db.transaction` passes to its callback, on PostgreSQL and SQLite. On SQLite, only asynchronous
 * drivers work, such as `libsql`. Synchronous ones, such as `better-sqlite3`, are refused, because they commit before a call of the
 * controller has begun.
 *
 * ```ts
 * const storage = postgresStorage({ pool, hostTransactions: drizzleTransactions });
 * await db.transaction(async (transaction) => {
 *   const { id } = await controller.api.identities.create({ body }, { transaction });
 *   await transaction.insert(customers).values({ id });
 * });
 * ```
 */
export const drizzleTransactions: HostTransactions<DrizzleTransaction> = {
  isTransaction: (host): host is DrizzleTransaction =>
    is(host, PgTransaction) || (is(host, SQLiteTransaction) && Reflect.get(host, 'resultKind') === 'async'),
  async execute(transaction, statement) {
    const query = queryOf(statement);
    const { returnsRows } = statement;
    try {
      if ('execute' in transaction) return toResult(await transaction.execute(query), returnsRows);
      return toResult(await (returnsRows ? transaction.all(query) : transaction.run(query)), returnsRows);
    } catch (error) {
      throw withoutValues(error);
    }
  },
};

/**
 * The cause of Drizzle's error, whose own message contains the values of the statement, which may be secret. Drizzle may be loaded twice,
 * as an ES module and as CommonJS, so the error is recognized by its members.
 */
const withoutValues = (error: unknown): unknown => {
  if (!(error instanceof Error && 'query' in error && 'params' in error)) return error;
  return error.cause ?? new Error('the statement failed');
};

/** Builds a statement with Drizzle's template tag, which writes the placeholders. */
const queryOf = ({ strings, parameters }: HostStatement): SQL => sql(strings as unknown as TemplateStringsArray, ...parameters); // Drizzle does not use the property `raw`

/**
 * `pg`, PGlite and Neon return an object with rows, `postgres` and Bun an array with a count, and SQLite drivers an array of rows or an
 * object with a count.
 */
const toResult = (driverResult: unknown, returnsRows: boolean): Result => {
  if (!returnsRows) return { rows: [], written: readWriteCount(driverResult) };
  return { rows: checkedRows(Array.isArray(driverResult) ? driverResult : Object(driverResult).rows), written: 0 };
};

/** The properties in which drivers return the number of rows written. */
const COUNTS = ['rowCount', 'rowsAffected', 'affectedRows', 'changes', 'count'] as const;

/** @throws TypeError if the driver returns no count, because a lost update would then go unnoticed */
const readWriteCount = (driverResult: unknown): number => {
  const counts: Readonly<Record<string, unknown>> = Object(driverResult);
  const found = COUNTS.map((name) => counts[name]).find((count) => typeof count === 'number' || typeof count === 'bigint');
  if (found === undefined) throw new TypeError('this Drizzle driver does not report how many rows a statement has written');
  return Number(found);
};

/** @throws TypeError if rows are arrays without column names, which Drizzle's proxy drivers return */
const checkedRows = (rows: unknown): readonly ResultRow[] => {
  if (!Array.isArray(rows) || Array.isArray(rows[0]))
    throw new TypeError('this Drizzle driver does not return rows as objects by column names');
  return rows;
};
