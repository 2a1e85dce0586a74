/** Runs the statements of one transaction while it is open. */
import { type Connection, run } from './connection.ts';
import type { LazyTransaction } from './lazy-transaction.ts';
import type { OpenCommit } from './open-commit.ts';
import type { Result } from './result.ts';
import type { Scope } from './scope.ts';
import type { Sql } from './sql.ts';

interface RunnerOptions {
  /** Set for a transaction of the host. */
  readonly joining?: Joining;
  /** After it is aborted, no more statements run. */
  readonly signal?: AbortSignal | undefined;
  /** The commit to which the writes of this transaction belong. Set if the store began the transaction and its work may share a commit. */
  readonly commit?: OpenCommit;
  /** The transaction, if it is a read that begins with its first statement. */
  readonly lazy?: LazyTransaction;
}

export interface Joining {
  /**
   * Runs the statements that must come first.
   * @returns the tables that the database has at that point
   */
  begin(run: (statement: Sql) => Promise<Result>): Promise<Scope>;
}

export class TransactionRunner {
  #scope: Scope;
  readonly #connection: Connection;
  readonly #joining: Joining | undefined;
  readonly signal: AbortSignal | undefined;
  readonly commit: OpenCommit | undefined;
  readonly lazy: LazyTransaction | undefined;
  #joined: Promise<Scope> | undefined;
  #isShared: boolean;
  #isOver = false;

  constructor(connection: Connection, scope: Scope, { joining, signal, commit, lazy }: RunnerOptions = {}) {
    this.#scope = scope;
    this.#isShared = joining !== undefined;
    this.#connection = connection;
    this.#joining = joining;
    this.signal = signal;
    this.commit = commit;
    this.lazy = lazy;
  }

  /** The tables. Up to date only once the transaction is `ready`. */
  get scope(): Scope {
    return this.#scope;
  }

  /** True if others may have joined the transaction and may be writing in it. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /**
   * @returns the value for others to pass to `Store.join`
   * @throws TypeError if the transaction may share its commit
   */
  share(): unknown {
    if (this.commit) throw new TypeError('a transaction that may share its commit cannot be joined');
    this.#isShared = true;
    return this.#connection.host;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects all further statements, because the connection is about to be released. */
  end(): void {
    this.#isOver = true;
  }

  async run(statement: Sql): Promise<Result> {
    if (this.#isOver) throw new TypeError('the transaction is over');
    this.signal?.throwIfAborted();
    if (this.#joining) await this.ready();
    return await this.#send(statement);
  }

  /** Await this before querying the tables: in the host's transaction, it runs the statements that must come first. */
  ready(): Scope | Promise<Scope> {
    return this.#joining ? this.#join(this.#joining) : this.#scope;
  }

  async #join({ begin }: Joining): Promise<Scope> {
    this.#scope = await (this.#joined ??= begin((each) => this.#send(each)));
    return this.#scope;
  }

  /**
   * Runs statements in order.
   * @returns the result of the last one
   */
  async runInOrder(statements: readonly Sql[]): Promise<Result> {
    let last: Result = { rows: [], written: 0 };
    for (const statement of statements) last = await this.run(statement);
    return last;
  }

  #send(statement: Sql): Promise<Result> {
    return run(this.#scope.engine, this.#connection, statement);
  }
}
