/**
 * What SQL engines disagree about, as one table of facts each; everything else in this folder is said the same way to all.
 * Another engine is another file like `sqlite/engine.ts`.
 */
import type { ColumnSchema, TransactionMode } from '../../../src/adapter-kit.ts';
import type { Sql, Value } from './sql.ts';

export interface Engine {
  readonly name: EngineName;
  /** How the value at `index` (from 1) is written in a statement; default `?`. */
  placeholder?(index: number): string;
  /** A value as the driver takes it. */
  bound(value: Value): unknown;
  /**
   * Starts a transaction that reads one state, or that is serialisable against other writers (once it has their lock, if the engine
   * needs one).
   */
  begin(mode: TransactionMode, limits: Limits): readonly string[];
  /** Makes writers of a namespace wait for each other until the transaction ends, for an engine where `begin` does not. */
  lockWriters?(state: Sql, namespace: string, revision: string): Sql;
  /** The same for those who migrate. */
  lockMigrations?(prefix: string): Sql;
  /** Waits until every writer is over that has read the table of migrations, and lets no other read it before the transaction ends. */
  lockOut?(migrations: string): Sql;
  /** Whether a statement that fails ends its transaction: a taken unique value must then be found out by asking. */
  readonly errorsEndTransactions?: boolean;

  /** Column types. Text must compare by code point. `reference` holds the number of a document, `document` its JSON. */
  readonly types: Readonly<Record<ColumnSchema['type'] | 'integer' | 'reference' | 'document' | 'documentKey', string>>;
  /** What follows the columns of a table that is found by its primary key only. */
  readonly keyedTable: string;
  /** More columns of a table of documents, and the column that is asked for fields (default: the document itself). */
  readonly documents?: { readonly columns: string; readonly asked: Sql };
  /**
   * For an engine whose planner guesses badly until it has counted, and may guess otherwise after: how many rows to expect in
   * an index, and for each value of its first column, of its first two, and so on.
   */
  readonly expectations?: {
    /** The table that holds them, which `load` makes. */
    readonly table: string;
    of(table: string, index: string | null, rows: readonly number[]): Sql;
    /** All that it holds, as `table_name`, `index_name` and `rows`. */
    readonly all: Sql;
    forget(table: string): Sql;
    readonly load: Sql;
  };
  /**
   * Ends a correlated subquery so that it runs once for each row, for an engine whose planner would turn it into a join. Without statistics such a planner
   * may compare two long lists pair by pair. Absent: the planner keeps correlated subqueries as they are.
   */
  readonly fence?: Sql;
  /** Counts the tables of this name, as `value`. */
  tableCount(table: string): Sql;

  /** The elements of a JSON list, which are all of that type, as a table `e` with the column `value`. */
  elements(list: string, type: 'string' | 'number' | 'boolean'): Sql;
  /** The same for the list of texts at `path` of a document of a table before this one. */
  elementsAt(document: Sql, path: Path): Sql;
  /** A value in a document, as a value of that type; null when it is of another one. `as text` is what filters take for its text. */
  at(document: Sql, path: Path, as: DocumentType): Sql;

  contains(text: Sql, part: Sql | string): Sql;
  /** Upper case, as JavaScript's `toUpperCase`. */
  folded(text: Sql): Sql;
  /** Said after a sort key so that null comes before every value (after, when descending). */
  readonly nulls: { readonly ascending: Sql; readonly descending: Sql };
  /** Cuts a page out of what was found. */
  page(limit: number | undefined, offset: number): Sql;

  /** What our SQL needs of a database or connection, besides its tables. */
  readonly requirements: readonly Requirement[];

  /** What an error of the driver means; undefined when it is none of the driver's. */
  failure(error: unknown): Failure | undefined;
}

/** What the server itself is to put an end to, in milliseconds, where it can. Undefined: no limit. */
export interface Limits {
  /** Waiting for locks. */
  readonly lockTimeout: number;
  /** A statement. */
  readonly statementTimeout?: number | undefined;
  /** Time in which a writer, who holds the lock of the others, asks nothing. */
  readonly pauseTimeout?: number | undefined;
}

export interface Requirement {
  /** Selects a `value` other than 0 when it is met. When it selects 0, or fails, the advice helps. */
  readonly probe: Sql;
  readonly advice: string;
  /** Meets it, where SQL can. */
  create?(): Sql;
}

export type EngineName = 'sqlite' | 'postgres';

export type Path = readonly [string, ...string[]];

/** `text`: of a text only. `numberText`: a number's plain decimal digits. `tagText`: of a text, number or boolean. */
export type DocumentType = 'text' | 'numberText' | 'tagText' | 'number' | 'boolean' | 'any';

/** `busy`: somebody else holds what is needed; waiting helps. `conflict`: the transaction must be run again. */
export type Failure =
  /** `column`: its name, or that of the unique index. */
  | { readonly is: 'unique'; readonly table: string; readonly column: string }
  | { readonly is: 'busy' | 'conflict' | 'tooLong' | 'unavailable' | 'other' };
