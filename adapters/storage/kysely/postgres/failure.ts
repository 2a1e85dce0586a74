/** Classifies errors of `pg`: by the server's SQLSTATE, by the error code of the socket, or by the message if there is no code. */
import type { Failure } from '../engine/transactions.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; two characters stand for a whole class. */
const STATES: Readonly<Record<string, Exclude<Failure['is'], 'unique'>>> = {
  '40001': 'conflict',
  '40P01': 'conflict',
  '40003': 'unavailable', // committed, but not on a synchronous standby
  '54000': 'tooLong', // an index entry larger than 2,704 bytes
  '55P03': 'busy',
  '08': 'unavailable', // connection exceptions
  '28': 'unavailable', // failed authentication
  '3D000': 'unavailable', // no such database
  '53': 'unavailable', // out of disk, memory or connections
  '57014': 'unavailable', // the statement was cancelled or timed out
  '57P': 'unavailable', // the server is shutting down, has crashed, or is starting
  '58': 'unavailable', // system errors, such as I/O
  '25006': 'unavailable', // read-only, because the server is a standby
  '25P03': 'unavailable', // idle in a transaction for too long: the server has ended the connection
};

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Errors of the driver itself have no codes. */
const MESSAGES =
  /connection (?:was )?terminated|not queryable|connection (?:is |was )?closed|timeout exceeded when trying to connect|query read timeout|calling end on the pool|connection ended|has already been destroyed|connection has been discarded|timeout expired|does not support SSL/i;

export const failure = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && SOCKET_CODES.has(code)) return { is: 'unavailable' };
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return MESSAGES.test(error.message) ? { is: 'unavailable' } : undefined;
  if (code === '23505') return uniqueFailure(error);
  for (let length = 5; length >= 2; length--) {
    const is = STATES[code.slice(0, length)];
    if (is) return { is };
  }
  return { is: 'other' };
};

/** The server names the index of a unique constraint, not its column. */
const uniqueFailure = (error: Error): Failure => {
  const text = (field: 'table' | 'constraint') => {
    const value: unknown = Reflect.get(error, field);
    return typeof value === 'string' ? value : '';
  };
  return { is: 'unique', table: text('table'), column: text('constraint').endsWith('_pkey') ? 'id' : text('constraint') };
};
