import { decimalText } from '../../../../src/adapter-kit.ts';

export const UPPER = 'overlay_upper';
export const DECIMAL_TEXT = 'overlay_decimal_text';

/**
 * SQL functions that the queries use on SQLite, because its own differ from JavaScript's: its `upper` changes ASCII letters
 * only, and it writes numbers with 15 digits. `sqliteStorage` defines them. On connections of another driver, the host has to define
 * them (all are deterministic):
 *
 * ```ts
 * for (const [name, run] of Object.entries(sqliteFunctions)) betterSqlite.function(name, { deterministic: true }, run);
 * ```
 */
export const sqliteFunctions: Readonly<Record<string, (value: unknown) => string | null>> = {
  [UPPER]: (text) => (typeof text === 'string' ? text.toUpperCase() : null),
  [DECIMAL_TEXT]: (value) => (typeof value === 'number' ? decimalText(value) : null),
};
