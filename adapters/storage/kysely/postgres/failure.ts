/** What errors of `pg` mean: SQLSTATE codes of the server, codes of Node's sockets, and sentences of the driver without either. */
import type { Failure } from '../engine/transactions.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; two characters stand for a whole class. */
const STATES: Readonly<Record<string, Exclude<Failure['is'], 'unique'>>> = {
  '40001': 'conflict',
  '40P01': 'conflict',
  '54000': 'tooLong', // an entry of an index beyond 2,704 bytes
  '55P03': 'busy',
  '08': 'unavailable', // connection exceptions
  '28': 'unavailable', // the server does not let us in
  '3D000': 'unavailable', // no such database
  '53': 'unavailable', // out of disk, memory or connections
  '57014': 'unavailable', // stopped: it took longer than a statement may
  '57P': 'unavailable', // shut down, crashed, starting
  '58': 'unavailable', // errors of its file system
  '25006': 'unavailable', // a standby, which reads only
  '25P03': 'unavailable', // idle for too long in a transaction: the connection is gone
};

const SOCKET = new Set([
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

/** The driver has no codes of its own. */
const SENTENCES =
  /connection (?:was )?terminated|not queryable|connection (?:is |was )?closed|timeout exceeded when trying to connect|query read timeout|calling end on the pool|connection ended|has already been destroyed|connection has been discarded|timeout expired|does not support SSL/i;

export const failure = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && SOCKET.has(code)) return { is: 'unavailable' };
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return SENTENCES.test(error.message) ? { is: 'unavailable' } : undefined;
  if (code === '23505') return taken(error);
  for (let length = 5; length >= 2; length--) {
    const is = STATES[code.slice(0, length)];
    if (is) return { is };
  }
  return { is: 'other' };
};

/** Unique keys are told by the name of their index. */
const taken = (error: Error): Failure => {
  const text = (field: 'table' | 'constraint') => {
    const value: unknown = Reflect.get(error, field);
    return typeof value === 'string' ? value : '';
  };
  return { is: 'unique', table: text('table'), column: text('constraint').endsWith('_pkey') ? 'id' : text('constraint') };
};
