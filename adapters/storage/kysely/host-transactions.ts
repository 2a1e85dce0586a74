/** Transactions that the host has opened with another library. */
import type { Connection } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Result } from './result.ts';

/**
 * Lets a store join the transactions of a library, with the option `hostTransactions` of the storage adapters. `drizzleTransactions` and
 * `prismaTransactions` are examples. Kysely's transactions require no option.
 *
 * ```ts
 * const typeormTransactions: HostTransactions<EntityManager> = {
 *   isTransaction: (host): host is EntityManager => host instanceof EntityManager && host.queryRunner?.isTransactionActive === true,
 *   async execute({ queryRunner }, { sql, parameters }) {
 *     const { records, affected } = await queryRunner.query(sql, [...parameters], true);
 *     return { rows: records ?? [], written: affected ?? 0 };
 *   },
 * };
 * ```
 */
export interface HostTransactions<T = unknown> {
  /**
   * True if a value is an open transaction of the library, on the database of the store. Called before every statement: if it returns
   * false after the transaction has ended, the store does not write outside of the transaction.
   */
  isTransaction(host: unknown): host is T;
  /**
   * Executes one statement in the transaction. Not called again before the previous statement of the transaction has completed.
   * @throws the error of the database driver, or one that has it as `cause`
   */
  execute(transaction: T, statement: HostStatement): Promise<Result>;
}

/** A statement in one of the host's transactions. */
export interface HostStatement {
  /** The SQL, with the placeholders of the engine: `$1` in PostgreSQL, `?` in SQLite. */
  readonly sql: string;
  /** Strings, numbers, null, and booleans if the engine supports them. */
  readonly parameters: readonly unknown[];
  /**
   * The text around the parameters, one part more than there are parameters: for libraries that take a template and write placeholders
   * themselves.
   */
  readonly strings: readonly string[];
  /**
   * True if the statement returns rows: some libraries execute such statements differently. If false, only `written` of the result is used.
   */
  readonly returnsRows: boolean;
}

/**
 * A connection that runs statements in the host's transaction; undefined if none of the libraries recognizes it. Once the library reports
 * that the transaction has ended, each statement throws a TypeError.
 */
export const joinedConnection = (engine: SqlEngine, libraries: readonly HostTransactions[], host: unknown): Connection | undefined => {
  const library = libraries.find((each) => each.isTransaction(host));
  return library && { host, run: (sql, parameters, strings = [sql]) => run(engine, library, host, { sql, parameters, strings }) };
};

const run = (engine: SqlEngine, library: HostTransactions, host: unknown, statement: Omit<HostStatement, 'returnsRows'>): Promise<Result> =>
  inSequence(host as object, async () => {
    if (!library.isTransaction(host)) throw new TypeError('the transaction is over');
    try {
      return await library.execute(host, { ...statement, returnsRows: RETURNS_ROWS.test(statement.sql) });
    } catch (error) {
      throw causeKnownTo(engine, error);
    }
  });

const RETURNS_ROWS = /^\s*(?:select|with|values)\b|\breturning\b/i;

/**
 * The last statement of each transaction. Several calls of the host may use one transaction at the same time, and not every driver queues
 * statements.
 */
const running = new WeakMap<object, Promise<unknown>>();

const inSequence = <T>(transaction: object, work: () => Promise<T>): Promise<T> => {
  const done = (running.get(transaction) ?? Promise.resolve()).then(work);
  running.set(
    transaction,
    done.catch(() => undefined),
  );
  return done;
};

/** Unwraps an error of the driver. Libraries wrap these, some with the values of the statement in the message. */
const causeKnownTo = (engine: SqlEngine, error: unknown): unknown => {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++)
    if (engine.failure(each)) return each;
  return error;
};

/** Maximum depth of nested causes. */
const MAX_CAUSES = 5;

/** @throws TypeError if an element lacks one of the two functions */
export const librariesOf = (option: HostTransactions | readonly HostTransactions[] = []): readonly HostTransactions[] => {
  const libraries = [option].flat();
  for (const each of libraries)
    if (typeof each?.isTransaction !== 'function' || typeof each.execute !== 'function')
      throw new TypeError(`hostTransactions accepts objects with the functions isTransaction and execute, got ${String(each)}`);
  return libraries;
};
