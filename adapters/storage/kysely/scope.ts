/**
 * Restricts statements to the namespace of a store. Only this file names tables in statements, so no statement can omit the condition on
 * the namespace. Callers append other conditions with `and`.
 */
import type { StorageSchema } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Limits } from './engine/transactions.ts';
import type { StateChange, StateRow } from './engine/writes.ts';
import type { RowFields } from './fields.ts';
import { type Layout, layoutOf, REVISION, sharedNames } from './layout.ts';
import { qualified } from './render.ts';
import { EMPTY, joined, raw, type Sql, sql, type Value } from './sql.ts';

export class Scope {
  readonly engine: SqlEngine;
  readonly #namespace: string;
  readonly #layouts: ReadonlyMap<string, Layout>;
  readonly #state: Sql;

  constructor(engine: SqlEngine, prefix: string, namespace: string, schema: StorageSchema) {
    this.engine = engine;
    this.#namespace = namespace;
    this.#layouts = new Map(schema.map((kind) => [kind.kind, layoutOf(engine, prefix, kind)]));
    this.#state = qualified(engine, sharedNames(prefix).state);
  }

  /** @throws TypeError if the schema has no such kind */
  layout(kind: string): Layout {
    const layout = this.#layouts.get(kind);
    if (!layout) throw new TypeError(`the storage schema has no kind '${kind}'`);
    return layout;
  }

  /** `<rows> where ns = ?`, joined with the documents if they are needed. */
  rows(kind: string, { alias, document, needsDocument }: RowFields): Sql {
    const layout = this.layout(kind);
    const documents = needsDocument ? sql` join ${layout.documents} as ${document} on ${document}.id = ${alias}.document` : EMPTY;
    return sql`${layout.table} as ${alias}${documents} where ${alias}.ns = ${this.#namespace}`;
  }

  /** `<rows> where ns = ?`, without the documents, which may be missing or broken. */
  rowsAs(kind: string, alias: Sql): Sql {
    return sql`${this.layout(kind).table} as ${alias} where ${alias}.ns = ${this.#namespace}`;
  }

  countRows(kind: string): Sql {
    return sql`select count(*) from ${this.rowsAs(kind, raw('n'))}`;
  }

  /** `<set> where ns = ?`. */
  set(kind: string, field: string, alias: Sql): Sql {
    return sql`${this.#set(kind, field)} as ${alias} where ${alias}.ns = ${this.#namespace}`;
  }

  /** `<set> cross join <rows> where ns = ?`: the rows that contain an element. The set is the driving table. */
  rowsWithElement(kind: string, field: string, element: Sql, { alias, document, needsDocument }: RowFields): Sql {
    const documents = needsDocument
      ? sql` join ${this.layout(kind).documents} as ${document} on ${document}.id = ${alias}.document`
      : EMPTY;
    return sql`${this.#set(kind, field)} as ${element} cross join ${this.layout(kind).table} as ${alias}${documents} where ${element}.ns = ${this.#namespace} and ${alias}.ns = ${element}.ns and ${alias}.id = ${element}.id`;
  }

  /** `insert into <rows> (ns, ...) values (?, ...)`, or `select ?, ... from ...`. */
  insertRow(kind: string, columns: readonly (readonly [Sql, Sql | Value])[], from?: Sql): Sql {
    const names = columns.map(([column]) => sql`, ${column}`);
    const values = columns.map(([, value]) => sql`, ${value}`);
    const row = sql`${this.#namespace}${joined(values, '')}`;
    return sql`insert into ${this.layout(kind).table} (ns${joined(names, '')}) ${from ? sql`select ${row} from ${from}` : sql`values (${row})`}`;
  }

  /** `update <rows> set ... where ns = ?`. */
  updateRow(kind: string, changes: readonly (readonly [Sql, Value])[]): Sql {
    const [first, ...rest] = changes.map(([column, value]) => sql`${column} = ${value}`);
    return sql`update ${this.layout(kind).table} set ${first ?? EMPTY}${joined(
      rest.map((change) => sql`, ${change}`),
      '',
    )} where ns = ${this.#namespace}`;
  }

  /** `delete from <rows> where ns = ?`. */
  deleteRows(kind: string): Sql {
    return sql`delete from ${this.layout(kind).table} where ns = ${this.#namespace}`;
  }

  /** Inserts elements into a set of a row. */
  insertElements(kind: string, field: string, id: string, elements: readonly string[]): Sql {
    return sql`insert into ${this.#set(kind, field)} (ns, value, id) select ${this.#namespace}, e.value, ${id} from ${this.engine.jsonElements(JSON.stringify(elements), 'string')}`;
  }

  /** `delete from <set> where ns = ?`. */
  deleteElements(kind: string, field: string): Sql {
    return sql`delete from ${this.#set(kind, field)} where ns = ${this.#namespace}`;
  }

  /** Deletes elements from a set of a row. */
  deleteElementsOf(kind: string, field: string, id: string, elements: readonly string[]): Sql {
    const listed = this.engine.jsonElements(JSON.stringify(elements), 'string');
    return sql`${this.deleteElements(kind, field)} and id = ${id} and value in (select e.value from ${listed})`;
  }

  /** Changes a number of the namespace. With `returning`, the last statement returns the new number as `value`. */
  change(number: string, change: Pick<StateChange, 'existing' | 'value' | 'returning' | 'where'>): readonly Sql[] {
    return this.engine.upsert({ ...this.#stateRow(number), ...change });
  }

  /** The statements that acquire the writer lock of this namespace; none if the engine's `begin` already excludes other writers. */
  lockWriters(limits: Limits): readonly Sql[] {
    return this.engine.lockWriters?.(this.#stateRow(REVISION), limits) ?? [];
  }

  number(name: string): Sql {
    return sql`select value from ${this.#state} where ns = ${this.#namespace} and name = ${name}`;
  }

  /** `delete from <numbers> where ns = ?`. */
  deleteNumbers(): Sql {
    return sql`delete from ${this.#state} where ns = ${this.#namespace}`;
  }

  #stateRow(name: string): StateRow {
    return { table: this.#state, namespace: this.#namespace, name };
  }

  #set(kind: string, field: string): Sql {
    const set = this.layout(kind).sets.get(field);
    if (!set) throw new TypeError(`'${field}' is not a set of a ${kind}`);
    return set;
  }
}
