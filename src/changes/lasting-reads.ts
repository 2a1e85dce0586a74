import { equals, type Predicate, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { isLasting, partOf, referring, type TablePart } from './table-part.ts';

const ID = stringField('id');

/**
 * The reads of which something is made that is to be remembered. They show no volatile fields, whose writes draw no revision, and tell of which
 * parts of tables they are. What is sealed is made into nothing that lasts.
 */
export class LastingReads implements Transaction {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  #parts: Set<TablePart> | undefined = new Set();

  constructor(tx: Transaction, state: CachedState) {
    this.#tx = tx;
    this.#state = state;
  }

  /** The parts of tables whose next change ends what was made; undefined where it is true for now only. */
  get parts(): readonly TablePart[] | undefined {
    return this.#parts && [...this.#parts];
  }

  get host(): unknown {
    return this.#tx.host;
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    const row = await this.#tx.get(kind, id);
    this.#note(kind, equals(ID, id));
    return row && this.#shown(kind, [row])[0];
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    this.#note(kind, query.where);
    return this.#shown(kind, await this.#tx.list(kind, query));
  }

  referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    this.#note(kind, referring(field, values, where));
    return this.#tx.referenced(kind, field, values, where);
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    for (const each of reads)
      this.#note(each.kind, each.read === 'list' ? each.query.where : referring(each.field, each.values, each.where));
    const answers = await this.#tx.readAll(reads);
    return answers.map((answer, i) => (reads[i]?.read === 'list' ? this.#shown(reads[i].kind, answer as readonly Row[]) : answer)); // of a list
  }

  readonly count = refused;
  readonly distinct = refused;
  readonly revision = refused;
  readonly insert = refused;
  readonly update = refused;
  readonly delete = refused;
  readonly nextRevision = refused;
  readonly verify = refused;
  readonly repair = refused;
  readonly forget = refused;

  /** A condition on a volatile field, or on rows of another table, is true for now only. */
  #note(kind: string, where?: Predicate): void {
    const recorded = this.#state.recorded(kind);
    if (recorded && isLasting(recorded, where ? JSON.stringify(where) : '')) this.#parts?.add(partOf(kind, recorded, where));
    else this.#parts = undefined;
  }

  #shown(kind: string, rows: readonly Row[]): readonly Row[] {
    const { volatile = [], isSealed = false } = this.#state.recorded(kind) ?? {};
    if (isSealed && rows.length > 0) this.#parts = undefined;
    if (volatile.length === 0) return rows;
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !volatile.includes(field))) as Row); // all that a row must have is recorded
  }
}

const refused = async (): Promise<never> => {
  throw new TypeError('made of rows and references alone');
};
