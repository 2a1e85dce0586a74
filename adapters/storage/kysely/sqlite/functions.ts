import { decimalText } from '../../../../src/adapter-kit.ts';

export const UPPER = 'overlay_upper';
export const DECIMAL_TEXT = 'overlay_decimal_text';

/**
 * Functions that our SQL needs of a SQLite connection, because SQLite's own differ from JavaScript's: its `upper` knows
 * ASCII only, its text of a number has 15 digits. `sqliteStorage` defines them; whoever brings a connection of another
 * driver does, with its own means (all are deterministic):
 *
 * ```ts
 * for (const [name, run] of Object.entries(sqliteFunctions)) betterSqlite.function(name, { deterministic: true }, run);
 * ```
 */
export const sqliteFunctions: Readonly<Record<string, (value: unknown) => string | null>> = {
  [UPPER]: (text) => (typeof text === 'string' ? text.toUpperCase() : null),
  [DECIMAL_TEXT]: (value) => (typeof value === 'number' ? decimalText(value) : null),
};
