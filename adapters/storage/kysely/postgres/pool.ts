/** Connections from a `pg` pool. A connection that is broken or still in a transaction is not returned to the pool. */
import type { Connections } from '../connection.ts';
import { PgConnection } from './connection.ts';
import type { PgClient, PgPool, PgPoolClient } from './driver.ts';
import { ignoredSearchPath, withAdvice } from './pooler-errors.ts';
import { Preparation } from './prepared.ts';

export interface PoolConnections extends Connections {
  /** Destroys the connections that are in use now. */
  destroy(): void;
}

/** @param prepared true to prepare recurring statements. Default: only on connections that no pooler shares */
export const poolConnections = (pool: () => Promise<PgPool>, prepared: boolean | undefined): PoolConnections => {
  const preparation = new Preparation();
  const checked = new WeakMap<PgPoolClient, boolean>();
  const used = new Set<PgConnection>();
  /** Checks a client when it is first used. */
  const isShared = async (client: PgPoolClient, connection: PgConnection): Promise<boolean> => {
    const isShared = checked.get(client) ?? (await isPooled(client, connection));
    checked.set(client, isShared);
    return isShared;
  };
  return {
    async use(work, options = {}) {
      const client = await connected(await pool());
      const connection = new PgConnection(client, options);
      // A connection may be lost between two statements. The next statement then fails.
      client.on('error', ignored);
      used.add(connection);
      try {
        options.signal?.throwIfAborted();
        const isFree = !(await isShared(client, connection));
        if (prepared ?? isFree) connection.preparation = preparation;
        return await work(connection);
      } finally {
        used.delete(connection);
        await connection.release();
        client.removeListener('error', ignored);
        client.release(connection.isLost || client.getTransactionStatus() !== 'I');
      }
    },
    destroy: () => {
      for (const connection of used) connection.destroy();
    },
  };
};

const connected = (pool: PgPool): Promise<PgPoolClient> =>
  pool.connect().catch((error: unknown) => {
    throw withAdvice(error);
  });

export const ignored = (): void => undefined;

/**
 * Detects connection poolers, such as PgBouncer. In transaction mode, a connection uses another session of the server for each transaction.
 * Prepared statements are the only session state that the store uses, so it does without them behind such a pooler.
 *
 * True if a pooler answered instead of the server when the connection was opened: the process id of the connection is then not that of the
 * process that runs the statements.
 * @throws UnsuitablePooler if the pooler ignored the `search_path` of the connection, because tables of another schema would be used
 */
const isPooled = async (client: PgClient, connection: PgConnection): Promise<boolean> => {
  if (typeof client.processID !== 'number') return false;
  const { rows } = await connection.run("select pg_backend_pid() as process, current_setting('search_path') as path", []);
  const [row] = rows;
  if (Number(row?.process) === client.processID) return false;
  const path = searchPathIn(client.connectionParameters?.options ?? '');
  if (path !== undefined && comparable(path) !== comparable(String(row?.path))) throw ignoredSearchPath();
  return true;
};

/** The `search_path` in the parameter `options`: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-OPTIONS */
const searchPathIn = (options: string): string | undefined => {
  const path = /(?:^|\s)(?:-c\s*|--)search_path=((?:\\.|\S)*)/i.exec(options)?.[1];
  return path?.replace(/\\(.)/g, '$1');
};

const comparable = (path: string): string => path.replace(/[\s"]/g, '');
