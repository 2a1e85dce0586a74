import type { Predicate } from '../../query/predicate.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, Uncommitted, Verified, VerifyPage } from './port.ts';

/** The name of an operation that every transaction has. */
export type StoreOperation = {
  [N in keyof Transaction]-?: Transaction[N] extends (...args: never) => Promise<unknown> ? N : never;
}[keyof Transaction];

/** The arguments of an operation. */
export type StoreArguments<O extends StoreOperation> = Parameters<Transaction[O]>;
/** The result of an operation. */
export type StoreResult<O extends StoreOperation> = Awaited<ReturnType<Transaction[O]>>;

/**
 * A transaction that passes its operations to another one. A subclass overrides only what it changes: individual operations, or `pass`,
 * through which all others go.
 */
export class ForwardingTransaction implements Transaction {
  protected readonly inner: Transaction;

  constructor(inner: Transaction) {
    this.inner = inner;
  }

  protected pass<O extends StoreOperation>(operation: O, args: StoreArguments<O>): Promise<StoreResult<O>> {
    // TypeScript cannot relate the method to its own parameters.
    return (this.inner[operation] as (...args: StoreArguments<O>) => Promise<StoreResult<O>>)(...args);
  }

  // A getter, not a copy: once `host` has been read, others can write in the transaction, and an adapter may have extra work to do.
  get host(): unknown {
    return this.inner.host;
  }

  get uncommitted(): Uncommitted | undefined {
    return this.inner.uncommitted;
  }

  get isView(): boolean | undefined {
    return this.inner.isView;
  }

  get(kind: string, id: string): Promise<Row | undefined> {
    return this.pass('get', [kind, id]);
  }

  list(kind: string, query: Query): Promise<readonly Row[]> {
    return this.pass('list', [kind, query]);
  }

  count(kind: string, where: Predicate): Promise<number> {
    return this.pass('count', [kind, where]);
  }

  insert(kind: string, row: Row): Promise<void> {
    return this.pass('insert', [kind, row]);
  }

  update(kind: string, row: Row, expected: number): Promise<void> {
    return this.pass('update', [kind, row, expected]);
  }

  delete(kind: string, id: string): Promise<boolean> {
    return this.pass('delete', [kind, id]);
  }

  distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.pass('distinct', [kind, set]);
  }

  referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    return this.pass('referenced', [kind, field, values, where]);
  }

  readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    return this.pass('readAll', [reads]);
  }

  revision(): Promise<number> {
    return this.pass('revision', []);
  }

  nextRevision(atLeast?: number): Promise<number> {
    return this.pass('nextRevision', [atLeast]);
  }

  verify(kind: string, page: VerifyPage): Promise<Verified> {
    return this.pass('verify', [kind, page]);
  }

  repair(kind: string, id?: string): Promise<boolean> {
    return this.pass('repair', [kind, id]);
  }

  forget(): Promise<void> {
    return this.pass('forget', []);
  }
}
