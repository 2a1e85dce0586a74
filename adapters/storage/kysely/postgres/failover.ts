import { clearTimeout, setTimeout } from 'node:timers';
import type { PgPool, PgPoolClient } from './driver.ts';

/**
 * Combines the pools of several servers into one, for failover. Servers are tried in order, starting with the last one that worked. The
 * role of the server is checked for every new connection.
 * @param isRightServer a query whose `value` is true on a server with the right role; undefined to accept any server
 * @param timeout time limit for this query, in milliseconds
 */
export const failoverPool = (pools: readonly PgPool[], isRightServer: string | undefined, timeout: number): PgPool => {
  const checked = new WeakSet<PgPoolClient>();
  let last = 0;
  const assertRight = async (client: PgPoolClient): Promise<void> => {
    if (isRightServer === undefined || checked.has(client)) return;
    const timer = setTimeout(() => client.connection?.stream.destroy(), timeout);
    const answer = await client.query({ text: isRightServer }).finally(() => clearTimeout(timer));
    const [row] = 'rows' in answer ? answer.rows : [];
    if (row?.value !== true) throw new WrongServer();
    checked.add(client);
  };
  const connect = async (pool: PgPool): Promise<PgPoolClient> => {
    const client = await pool.connect();
    client.on('error', ignored);
    try {
      await assertRight(client);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    } finally {
      client.removeListener('error', ignored);
    }
  };
  return {
    async connect() {
      const errors: unknown[] = [];
      for (let tried = 0, index = last; tried < pools.length; tried++, index = (index + 1) % pools.length) {
        const pool = pools[index];
        if (!pool) break;
        try {
          const client = await connect(pool);
          last = index;
          return client;
        } catch (error) {
          errors.push(error);
        }
      }
      // An unreachable server explains the failure better than a reachable one with the wrong role.
      throw errors.find((error) => !(error instanceof WrongServer)) ?? errors[0];
    },
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
    on: (event, listener) => {
      for (const pool of pools) pool.on(event, listener);
    },
  };
};

/** A connection error: class 08 of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
class WrongServer extends Error {
  readonly code = '08004';
  constructor() {
    super('no server in the connection string accepts writes');
  }
}

const ignored = (): void => undefined;
