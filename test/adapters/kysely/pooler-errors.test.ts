/** The errors of a pooler before PostgreSQL, by clients that fail as those of `pg` do. `postgres-pooler.test.ts` has a real one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PgPool, PgPoolClient, PgQuery, PgResult } from '../../../adapters/storage/kysely/postgres/driver.ts';
import { poolConnections } from '../../../adapters/storage/kysely/postgres/pool.ts';

const RESULT: PgResult = { command: 'SELECT', rowCount: 0, rows: [] };
const failing = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

/** Connections to a server that answers each prepared statement as `answer` says. */
const connectionsTo = (answer: () => Error | undefined, status: 'I' | 'T' = 'I') => {
  const asked: string[] = [];
  const client = {
    query: async ({ name, text }: PgQuery) => {
      asked.push(name === undefined ? text : `prepared ${text}`);
      const error = name === undefined ? undefined : answer();
      if (error) throw error;
      return RESULT;
    },
    getTransactionStatus: () => status,
    on: () => undefined,
    removeListener: () => undefined,
    release: () => undefined,
  } as unknown as PgPoolClient; // no statement is cancelled here
  const pool: PgPool = { connect: async () => client, end: async () => undefined, on: () => undefined };
  const connections = poolConnections(async () => pool, true);
  const sql = `select ${crypto.randomUUID()}`;
  const run = () => connections.use((connection) => connection.run(sql, [1]));
  return { asked, sql, run };
};

test('a frequent statement is prepared, and runs without that from when its name is lost', async () => {
  for (const code of ['26000', '42P05']) {
    let isLost = false;
    const { asked, sql, run } = connectionsTo(() => (isLost ? failing(code) : undefined));
    for (let i = 0; i < 3; i++) await run();
    assert.deepEqual(asked.splice(0), [sql, sql, `prepared ${sql}`]);
    isLost = true;
    for (let i = 0; i < 2; i++) await run();
    assert.deepEqual(asked, [`prepared ${sql}`, sql, sql]);
  }
});

test('another error of a prepared statement is its error, and it does not run again', async () => {
  const error = failing('23505');
  const { asked, sql, run } = connectionsTo(() => error);
  for (let i = 0; i < 2; i++) await run();
  await assert.rejects(run(), error);
  assert.deepEqual(asked, [sql, sql, `prepared ${sql}`]);
});

test('a name that is lost within a transaction loses that, with what to do about it', async () => {
  const { asked, sql, run } = connectionsTo(() => failing('26000'), 'T');
  for (let i = 0; i < 2; i++) await run();
  await assert.rejects(run(), { code: '08004', message: /set prepared=false in the connection string/ });
  assert.deepEqual(asked, [sql, sql, `prepared ${sql}`]);
});

test('a pooler that refuses a connection is answered with what to do about it', async () => {
  const refusing = (error: Error) => {
    const pool: PgPool = { connect: () => Promise.reject(error), end: async () => undefined, on: () => undefined };
    return poolConnections(async () => pool, true).use(async () => undefined);
  };
  const refused = failing('08P01', 'unsupported startup parameter: search_path');
  await assert.rejects(refusing(refused), { code: '08004', cause: refused, message: /set the schema with \?schema=NAME/ });
  const other = failing('ECONNREFUSED');
  await assert.rejects(refusing(other), other);
});
