/** Texts that are made of rows and of what hangs on them, each remembered for as long as what was read for it is true. */
import type { Row, Transaction } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { LastingReads } from './lasting-reads.ts';

/** What is made of a row. */
export interface OfRow<T> {
  /** The row, or those of its fields that are kept. */
  readonly row: Row;
  readonly made: string | T;
}

/** How it is made. */
export interface Making<T> {
  /** Tells what is made from what else is made of rows of this table. */
  readonly form: string;
  /** Fields that are kept with a text, beside id and version. */
  readonly fields: readonly string[];
  /**
   * Makes something of each row, of nothing but these reads, which do not show volatile fields. What it reads by the id of a row, or by a value in its
   * fields, it reads for that row alone. A text is remembered, and anything else is not.
   * @param asTexts whether texts will be remembered: otherwise they need not be made
   */
  make(reads: Transaction, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

const keyOf = (table: string, id: string, { form }: Making<unknown>): string => `made ${table} ${id} ${form}`;

/** @param revision of the state that the transaction sees */
export const knownTexts = (
  state: CachedState,
  table: string,
  ids: readonly string[],
  making: Making<unknown>,
  revision: number,
): readonly (OfRow<never> | undefined)[] => ids.map((id) => state.find(keyOf(table, id, making), revision) as OfRow<never> | undefined); // kept below

/** Makes them, and remembers what may be remembered. */
export const makeTexts = async <T>(
  state: CachedState,
  tx: Transaction,
  table: string,
  rows: readonly Row[],
  making: Making<T>,
  revision: number,
): Promise<readonly OfRow<T>[]> => {
  const reads = new LastingReads(tx);
  const made = await making.make(reads, reads.given(table, rows), true);
  const dependencies = reads.dependenciesFor(rows);
  return rows.map((row, i) => {
    const text = made[i];
    const dependsOn = dependencies[i];
    if (text === undefined) throw new TypeError('something is made of each row');
    if (typeof text !== 'string' || !dependsOn) return { row, made: text };
    const remembered: OfRow<never> = { row: keptOf(row, making), made: text };
    state.keep(keyOf(table, row.id, making), remembered, revision, dependsOn);
    return remembered;
  });
};

const keptOf = (row: Row, { fields }: Making<unknown>): Row =>
  Object.fromEntries(['id', 'version', ...fields].map((field) => [field, row[field]])) as Row; // of which those fields are asked that are named

/** Makes them, and remembers nothing. */
export const makeOnce = async <T>(tx: Transaction, rows: readonly Row[], making: Making<T>): Promise<readonly OfRow<T>[]> => {
  const made = await making.make(tx, rows, false);
  return rows.flatMap((row, i) => {
    const of = made[i];
    return of === undefined ? [] : [{ row, made: of }];
  });
};
