import { idOfSelector } from '../api/kit/selectors.ts';
import { equals, oneOf, type Predicate, type SortKey, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction } from '../storage/port.ts';
import { type Dependencies, dependenciesOf } from './question.ts';
import { recordedTable } from './recorded-tables.ts';
import { partBy, referring, soughtIn, type TablePart } from './table-part.ts';

const ID = stringField('id');

/** Values that one question looks for, at most, of which each is a part of a table by itself. */
const MOST_VALUES = 500;

/**
 * The reads of which something is made of each of some rows that is to be remembered. They show no volatile fields, whose writes draw no revision, and
 * tell of which parts of tables they are. What is read by a value that a row names, by its id or in a field, is read for those rows alone that name it;
 * all else is read for all. What is sealed is made into nothing that lasts.
 */
export class LastingReads implements Transaction {
  readonly #tx: Transaction;
  /** By value, what was read by it. */
  readonly #byValue = new Map<unknown, TablePart[]>();
  /** What was read by none. */
  readonly #common = new Set<TablePart>();
  /** By value, whether something sealed was read by it. */
  readonly #sealed = new Set<unknown>();
  #isLasting = true;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** On what depends that which was made of each row, in the order of the rows; undefined where it is true for now only. */
  dependenciesFor(rows: readonly Row[]): readonly (Dependencies | undefined)[] {
    const names = rows.map(namesIn);
    const named = new Set(names.flatMap((each) => [...each]));
    const common = new Set(this.#common);
    for (const [value, parts] of this.#byValue) if (!named.has(value)) for (const part of parts) common.add(part);
    const lasts = this.#isLasting && [...this.#sealed].every((value) => named.has(value));
    return names.map((each) => {
      const own = [...each];
      if (!lasts || own.some((value) => this.#sealed.has(value))) return undefined;
      return [...common, ...own.flatMap((value) => this.#byValue.get(value) ?? [])];
    });
  }

  get host(): unknown {
    return this.#tx.host;
  }

  /** Rows that were read before, as if they were read now. */
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
    this.#note(kind, referring(field, values, where));
    return this.#tx.referenced(kind, field, values, where);
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    for (const each of reads)
      if (each.read === 'list') this.#note(each.kind, each.query.where, each.query.sort);
      else this.#note(each.kind, referring(each.field, each.values, each.where));
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

  /** A condition on a volatile field is true for now only. */
  #note(kind: string, where: Predicate, sort?: readonly SortKey[]): void {
    const dependsOn = dependenciesOf(kind, where, sort);
    if (!dependsOn) {
      this.#isLasting = false;
      return;
    }
    for (const subquery of dependsOn.slice(1)) this.#common.add(subquery);
    const sought = soughtIn(kind, where);
    if (!sought || sought.values.length > MOST_VALUES) {
      this.#common.add(kind);
      return;
    }
    for (const value of sought.values) {
      const parts = this.#byValue.get(value) ?? [];
      this.#byValue.set(value, parts);
      const part = partBy(kind, sought.field, value);
      if (!parts.includes(part)) parts.push(part);
    }
  }

  #shown(kind: string, rows: readonly Row[], where: Predicate): readonly Row[] {
    const { volatile = [], isSealed = false } = recordedTable(kind) ?? {};
    const field = soughtIn(kind, where)?.field;
    if (isSealed) for (const row of rows) this.#sealed.add(field && row[field]);
    if (volatile.length === 0) return rows;
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !volatile.includes(field))) as Row); // all that a row must have is recorded
  }
}

/** The values by which a row names others: its id, and the texts of its fields, those of role arrays without their sign. */
const namesIn = (row: Row): ReadonlySet<unknown> => {
  const names = new Set<unknown>();
  for (const value of Object.values(row))
    if (typeof value === 'string') names.add(value);
    else if (Array.isArray(value)) for (const each of value) names.add(typeof each === 'string' ? (idOfSelector(each) ?? each) : each);
  return names;
};

const refused = async (): Promise<never> => {
  throw new TypeError('made of rows and references alone');
};
