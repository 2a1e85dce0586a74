/** Transactions that the host has opened with another library: two functions let a store work in them. */
import type { Connection } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Result } from './result.ts';

/**
 * How a store works in the transactions of a library: the option `hostTransactions` of the storage adapters. `drizzleTransactions` and `prismaTransactions` are
 * examples; Kysely's transactions need no option.
 *
 * ```ts
 * const ofTypeorm: HostTransactions<EntityManager> = {
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
   * True if a value is an open transaction of the library, on the database of the store. Called before every statement: a library that knows when a
   * transaction has ended prevents writes outside of it.
   */
  isTransaction(host: unknown): host is T;
  /**
   * Executes one statement in the transaction. Called for one statement after another.
   * @throws the error of the database driver, or one that has it as `cause`
   */
  execute(transaction: T, statement: HostStatement): Promise<Result>;
}

/** A statement in one of the host's transactions. */
export interface HostStatement {
  /** With the placeholders of the engine: `$1` in PostgreSQL, `?` in SQLite. */
  readonly sql: string;
  /** Texts, numbers, null, and booleans if the engine has them. */
  readonly parameters: readonly unknown[];
  /** The text around the parameters, one part more than there are parameters: for libraries that take a template and write placeholders themselves. */
  readonly strings: readonly string[];
  /** True if the statement returns rows, for libraries that execute such statements in another way. For all others, `written` counts. */
  readonly returnsRows: boolean;
}

/**
 * A connection on the transaction of a host, if one of these libraries recognizes it.
 * @throws TypeError from its statements, once the library reports that the transaction has ended
 */
export const joinedBy = (engine: SqlEngine, libraries: readonly HostTransactions[], host: unknown): Connection | undefined => {
  const library = libraries.find((each) => each.isTransaction(host));
  return library && { host, run: (sql, parameters, strings = [sql]) => run(engine, library, host, { sql, parameters, strings }) };
};

const run = (engine: SqlEngine, library: HostTransactions, host: unknown, statement: Omit<HostStatement, 'returnsRows'>): Promise<Result> =>
  afterOthers(host as object, async () => {
    if (!library.isTransaction(host)) throw new TypeError('the transaction is over');
    try {
      return await library.execute(host, { ...statement, returnsRows: RETURNS_ROWS.test(statement.sql) });
    } catch (error) {
      throw causeKnownTo(engine, error);
    }
  });

const RETURNS_ROWS = /^\s*(?:select|with|values)\b|\breturning\b/i;

/** The last statement of each transaction. Several calls of the host may use one transaction at the same time, and not every driver queues statements. */
const running = new WeakMap<object, Promise<unknown>>();

const afterOthers = <T>(transaction: object, work: () => Promise<T>): Promise<T> => {
  const done = (running.get(transaction) ?? Promise.resolve()).then(work);
  running.set(
    transaction,
    done.catch(() => undefined),
  );
  return done;
};

/** Libraries wrap the errors of drivers, some with the values of the statement in their message. */
const causeKnownTo = (engine: SqlEngine, error: unknown): unknown => {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++)
    if (engine.failure(each)) return each;
  return error;
};

const MAX_CAUSES = 5;

/** @throws TypeError if the value is not a pair of functions */
export const librariesOf = (option: HostTransactions | readonly HostTransactions[] = []): readonly HostTransactions[] => {
  const libraries = [option].flat();
  for (const each of libraries)
    if (typeof each?.isTransaction !== 'function' || typeof each.execute !== 'function')
      throw new TypeError(`hostTransactions takes objects with the functions isTransaction and execute, got ${String(each)}`);
  return libraries;
};
