/**
 * Values derived from rows and from the rows to which these refer. Derived texts are cached until one of the rows read for them changes.
 */
import type { Row, Transaction } from '../storage/port.ts';
import type { EntryCache } from './cached-state.ts';
import { DependencyTracker } from './dependency-tracker.ts';

/** A value derived from a row. */
export interface Derived<T> {
  /** The row; for a cached value, only id, version and the `fields` of the derivation. */
  readonly row: Row;
  readonly value: string | T;
}

/** The derivation of a value from a row. */
export interface Derivation<T> {
  /** Name of the derivation, unique among those of the same table. Part of the cache key. */
  readonly form: string;
  /** Fields to cache with the value, in addition to id and version. */
  readonly fields: readonly string[];
  /**
   * Derives a value from each row. Must read only through `reads`, which omits volatile fields. A read by the id of a row, or by a value of
   * one of its fields, becomes a dependency of the value of that row only. Texts are cached; other values are not.
   * @param asTexts false if nothing will be cached, so that no text is needed
   */
  derive(reads: Transaction, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

const keyOf = (table: string, id: string, { form }: Derivation<unknown>): string => `derived ${table} ${id} ${form}`;

/** The cached values of one derivation. */
export interface DerivedValueCache<T> {
  readonly entries: EntryCache;
  readonly table: string;
  readonly derivation: Derivation<T>;
  /** The revision of the transaction's snapshot. */
  readonly revision: number;
}

export const findDerived = (
  { entries, table, derivation, revision }: DerivedValueCache<unknown>,
  ids: readonly string[],
): readonly (Derived<never> | undefined)[] =>
  ids.map((id) => entries.find(keyOf(table, id, derivation), revision) as Derived<never> | undefined); // stored by `deriveCached`

/** Derives values, and caches the texts among them. */
export const deriveCached = async <T>(
  { entries, table, derivation, revision }: DerivedValueCache<T>,
  tx: Transaction,
  rows: readonly Row[],
): Promise<readonly Derived<T>[]> => {
  const reads = new DependencyTracker(tx);
  const values = await derivation.derive(reads, reads.recordRows(table, rows), true);
  const dependencies = reads.dependenciesFor(rows);
  return rows.map((row, i) => {
    const value = values[i];
    const dependsOn = dependencies[i];
    if (value === undefined) throw new TypeError('a derivation must return a value for each row');
    if (typeof value !== 'string' || !dependsOn) return { row, value };
    const cached: Derived<never> = { row: cachedFields(row, derivation), value };
    entries.put(keyOf(table, row.id, derivation), cached, revision, dependsOn);
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
