/** Errors that are caused by a connection pooler, such as PgBouncer, with advice for operators. */

/** A connection error: class 08 of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
class UnsuitablePooler extends Error {
  readonly code = '08004';
}

const SET_SCHEMA = 'set the schema with ?schema=NAME in the connection string, or with the option schema';

/** Messages of PgBouncer: https://www.pgbouncer.org/config.html */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /unsupported startup parameter/i,
    `a connection pooler in front of PostgreSQL rejects settings of the connection string: remove them; instead of search_path, ${SET_SCHEMA}`,
  ],
  [
    /statement pooling mode/i,
    'a connection pooler in front of PostgreSQL shares sessions between statements, but a controller requires transactions: set its pool_mode to transaction or session',
  ],
];

/** Adds advice to an error that is caused by a pooler. Returns other errors unchanged. */
export const withAdvice = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const advice = ADVICE.find(([message]) => message.test(error.message))?.[1];
  return advice === undefined ? error : new UnsuitablePooler(`${error.message}: ${advice}`, { cause: error });
};

/** A session lacks a prepared statement within a transaction, which is thereby aborted. */
export const lostName = (cause: Error): Error =>
  new UnsuitablePooler(
    `${cause.message}: a connection pooler in front of PostgreSQL shares sessions and does not keep prepared statements: set prepared=false in the connection string, or the option prepared to false`,
    { cause },
  );

/** The tables of another schema would be used. */
export const ignoredSearchPath = (): Error =>
  new UnsuitablePooler(`a connection pooler in front of PostgreSQL ignores the search_path of the connection: ${SET_SCHEMA}`);
