/** What errors of SQLite's drivers mean: by number with Node's own, by name with others (better-sqlite3, libsql). */
import type { Failure } from '../engine/transactions.ts';

/** Result codes of SQLite, without what extends them: https://www.sqlite.org/rescode.html */
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
  // A connection that is closed, or in which the host has begun a transaction of its own.
  if (error.code === 'ERR_INVALID_STATE') return { is: 'unavailable' };
  if (error.message.includes('within a transaction')) return { is: 'busy' };
  if (error.code === 'ERR_SQLITE_ERROR') {
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 1;
    return { is: code === BUSY_SNAPSHOT ? 'conflict' : (CODES[code & 0xff] ?? 'other') };
  }
  // Other drivers (better-sqlite3, libsql) put the name of the result code there.
  const named = Object.entries(NAMES).find(([name]) => String(error.code).startsWith(name));
  if (named) return { is: CODES[named[1]] ?? 'other' };
  return error.code.startsWith('SQLITE_') ? { is: 'other' } : undefined;
};
