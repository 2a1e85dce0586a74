/** Errors that only a connection pooler causes, such as PgBouncer, with what an operator can do about them. */

/** A connection error: class 08 of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
class UnsuitablePooler extends Error {
  readonly code = '08004';
}

const NAME_SCHEMA = 'name the schema with ?schema=NAME in the connection string, or with the option schema';

/** Messages of PgBouncer: https://www.pgbouncer.org/config.html */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /unsupported startup parameter/i,
    `a connection pooler before PostgreSQL refuses settings of the connection string: leave them out; if one is search_path, ${NAME_SCHEMA} instead`,
  ],
  [
    /statement pooling mode/i,
    'a connection pooler before PostgreSQL shares sessions between statements, and a controller needs transactions: set pool_mode to transaction or session there',
  ],
];

/** Adds what to do to an error that a pooler causes. Returns others unchanged. */
export const withAdvice = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const advice = ADVICE.find(([message]) => message.test(error.message))?.[1];
  return advice === undefined ? error : new UnsuitablePooler(`${error.message}: ${advice}`, { cause: error });
};

/** A session lacks a prepared statement, within a transaction, which is lost with it. */
export const lostName = (cause: Error): Error =>
  new UnsuitablePooler(
    `${cause.message}: a connection pooler before PostgreSQL shares sessions, and does not keep prepared statements: set prepared=false in the connection string, or the option prepared to false`,
    { cause },
  );

/** The tables of another schema would be used. */
export const ignoredSearchPath = (): Error =>
  new UnsuitablePooler(`a connection pooler before PostgreSQL ignores the search_path of the connection: ${NAME_SCHEMA}`);
