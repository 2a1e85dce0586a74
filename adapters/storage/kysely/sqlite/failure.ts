/** Classifies errors of SQLite drivers. `node:sqlite` reports result codes as numbers, others (better-sqlite3, libsql) as names. */
import type { Failure } from '../engine/transactions.ts';

/** Primary result codes: https://www.sqlite.org/rescode.html */
const CODES: Readonly<Record<number, Exclude<Failure['is'], 'unique'>>> = {
  5: 'busy',
  6: 'busy',
  8: 'unavailable',
  10: 'unavailable',
  11: 'unavailable',
  13: 'unavailable',
  14: 'unavailable',
  26: 'unavailable',
};
const NAMES: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
};
const BUSY_SNAPSHOT = 517;

export const failure = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const taken = /UNIQUE constraint failed: (?:[^,]+, )*([^.]+)\.(.+)$/.exec(error.message);
  if (taken?.[1] && taken[2]) return { is: 'unique', table: taken[1], column: taken[2] };
  // The connection is closed.
  if (error.code === 'ERR_INVALID_STATE') return { is: 'unavailable' };
  // The host has begun its own transaction on the connection.
  if (error.message.includes('within a transaction')) return { is: 'busy' };
  if (error.code === 'ERR_SQLITE_ERROR') {
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 1;
    return { is: code === BUSY_SNAPSHOT ? 'conflict' : (CODES[code & 0xff] ?? 'other') };
  }
  // Other drivers put the name of the result code into `code`.
  const named = Object.entries(NAMES).find(([name]) => String(error.code).startsWith(name));
  if (named) return { is: CODES[named[1]] ?? 'other' };
  return error.code.startsWith('SQLITE_') ? { is: 'other' } : undefined;
};
