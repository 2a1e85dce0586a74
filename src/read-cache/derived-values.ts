/** Values derived from rows and from the rows that these refer to. Derived texts are cached until a row changes that was read to derive them. */
import type { Row, Transaction } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { DependencyTracker } from './dependency-tracker.ts';

/** A value derived from a row. */
export interface Derived<T> {
  /** The row; for a cached value, only the fields that the derivation names. */
  readonly row: Row;
  readonly value: string | T;
}

/** How a value is derived from a row. */
export interface Derivation<T> {
  /** Name of the derivation, unique among those of the same table. Part of the cache key. */
  readonly form: string;
  /** Fields to cache with the value, in addition to id and version. */
  readonly fields: readonly string[];
  /**
   * Derives a value from each row. Must read only through `reads`, which omits volatile fields. A read by the id of a row, or by a value of one of its fields,
   * becomes a dependency of that row only. Texts are cached, other values are not.
   * @param asTexts false if nothing will be cached, so that no text is needed
   */
  derive(reads: Transaction, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

const keyOf = (table: string, id: string, { form }: Derivation<unknown>): string => `derived ${table} ${id} ${form}`;

/** @param revision the revision of the transaction's snapshot */
export const cachedValues = (
  state: CachedState,
  table: string,
  ids: readonly string[],
  derivation: Derivation<unknown>,
  revision: number,
): readonly (Derived<never> | undefined)[] =>
  ids.map((id) => state.find(keyOf(table, id, derivation), revision) as Derived<never> | undefined); // stored by `deriveCached`

/** Derives values, and caches the texts among them. */
export const deriveCached = async <T>(
  state: CachedState,
  tx: Transaction,
  table: string,
  rows: readonly Row[],
  derivation: Derivation<T>,
  revision: number,
): Promise<readonly Derived<T>[]> => {
  const reads = new DependencyTracker(tx);
  const values = await derivation.derive(reads, reads.recordRows(table, rows), true);
  const dependencies = reads.dependenciesFor(rows);
  return rows.map((row, i) => {
    const value = values[i];
    const dependsOn = dependencies[i];
    if (value === undefined) throw new TypeError('a derivation has a value for each row');
    if (typeof value !== 'string' || !dependsOn) return { row, value };
    const cached: Derived<never> = { row: cachedFields(row, derivation), value };
    state.put(keyOf(table, row.id, derivation), cached, revision, dependsOn);
    return cached;
  });
};

const cachedFields = (row: Row, { fields }: Derivation<unknown>): Row =>
  Object.fromEntries(['id', 'version', ...fields].map((field) => [field, row[field]])) as Row; // callers read the named fields only

/** Derives values without caching them. */
export const deriveUncached = async <T>(
  tx: Transaction,
  rows: readonly Row[],
  derivation: Derivation<T>,
): Promise<readonly Derived<T>[]> => {
  const values = await derivation.derive(tx, rows, false);
  return rows.flatMap((row, i) => {
    const value = values[i];
    return value === undefined ? [] : [{ row, value }];
  });
};
