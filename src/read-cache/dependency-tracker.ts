import { idOfSelector } from '../api/kit/roles.ts';
import { equals, oneOf, type Predicate, type SortKey, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction } from '../storage/port.ts';
import { lookupIn, type Partition, partitionBy, recordedTable, referencePredicate } from './partition.ts';
import { type Dependencies, dependenciesOf } from './question.ts';

const ID = stringField('id');

/** Values of one read that are tracked one by one. A read by more counts as one of the whole table. */
const MAX_VALUES = 500;

/**
 * The reads of a derivation, with the partitions on which each derived value depends. A read by a value that rows contain, such as their id or a reference,
 * counts for these rows alone, any other read for all. Volatile fields are left out, since writes of them draw no revision. A value derived from sealed
 * fields is not cached.
 */
export class DependencyTracker implements Transaction {
  readonly #tx: Transaction;
  /** The partitions that were read by a value. */
  readonly #byValue = new Map<unknown, Partition[]>();
  /** The partitions that were read otherwise. */
  readonly #common = new Set<Partition>();
  /** The values by which rows with sealed fields were read. */
  readonly #sealed = new Set<unknown>();
  #isCacheable = true;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** The dependencies of the value of each row, in the order of the rows; undefined for a value that must not be cached. */
  dependenciesFor(rows: readonly Row[]): readonly (Dependencies | undefined)[] {
    const names = rows.map(namesIn);
    const named = new Set(names.flatMap((each) => [...each]));
    const common = new Set(this.#common);
    for (const [value, parts] of this.#byValue) if (!named.has(value)) for (const part of parts) common.add(part);
    const isCacheable = this.#isCacheable && [...this.#sealed].every((value) => named.has(value));
    return names.map((each) => {
      const own = [...each];
      if (!isCacheable || own.some((value) => this.#sealed.has(value))) return undefined;
      return [...common, ...own.flatMap((value) => this.#byValue.get(value) ?? [])];
    });
  }

  get host(): unknown {
    return this.#tx.host;
  }

  /** Counts rows that were read before as read by this tracker. */
  given(kind: string, rows: readonly Row[]): readonly Row[] {
    const ids = rows.map(({ id }) => id);
    this.#note(kind, oneOf(ID, ids));
    return this.#shown(kind, rows, oneOf(ID, ids));
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    const row = await this.#tx.get(kind, id);
    this.#note(kind, equals(ID, id));
    return row && this.#shown(kind, [row], equals(ID, id))[0];
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    this.#note(kind, query.where, query.sort);
    return this.#shown(kind, await this.#tx.list(kind, query), query.where);
  }

  referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    this.#note(kind, referencePredicate(field, values, where));
    return this.#tx.referenced(kind, field, values, where);
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    for (const each of reads)
      if (each.read === 'list') this.#note(each.kind, each.query.where, each.query.sort);
      else this.#note(each.kind, referencePredicate(each.field, each.values, each.where));
    const answers = await this.#tx.readAll(reads);
    return answers.map((answer, i) => {
      const asked = reads[i];
      return asked?.read === 'list' ? this.#shown(asked.kind, answer as readonly Row[], asked.query.where) : answer; // of a list
    });
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

  /** A condition on a volatile field makes every value uncacheable. */
  #note(kind: string, where: Predicate, sort?: readonly SortKey[]): void {
    const dependsOn = dependenciesOf(kind, where, sort);
    if (!dependsOn) {
      this.#isCacheable = false;
      return;
    }
    for (const subquery of dependsOn.slice(1)) this.#common.add(subquery);
    const lookup = lookupIn(kind, where);
    if (!lookup || lookup.values.length > MAX_VALUES) {
      this.#common.add(kind);
      return;
    }
    for (const value of lookup.values) {
      const parts = this.#byValue.get(value) ?? [];
      this.#byValue.set(value, parts);
      const part = partitionBy(kind, lookup.field, value);
      if (!parts.includes(part)) parts.push(part);
    }
  }

  #shown(kind: string, rows: readonly Row[], where: Predicate): readonly Row[] {
    const { volatile = [], isSealed = false } = recordedTable(kind) ?? {};
    const field = lookupIn(kind, where)?.field;
    if (isSealed) for (const row of rows) this.#sealed.add(field && row[field]);
    if (volatile.length === 0) return rows;
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !volatile.includes(field))) as Row); // all that a row must have is recorded
  }
}

/** The values by which a row refers to others: its id, and the texts of its fields; roles by id without their sign. */
const namesIn = (row: Row): ReadonlySet<unknown> => {
  const names = new Set<unknown>();
  for (const value of Object.values(row))
    if (typeof value === 'string') names.add(value);
    else if (Array.isArray(value)) for (const each of value) names.add(typeof each === 'string' ? (idOfSelector(each) ?? each) : each);
  return names;
};

const refused = async (): Promise<never> => {
  throw new TypeError('a derivation reads rows and references only');
};
