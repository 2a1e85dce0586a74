/** Connections from a `pg` pool. A connection that is broken or still in a transaction is not returned to the pool. */
import type { Connections } from '../connection.ts';
import { PgConnection, statementNames } from './connection.ts';
import type { PgPool } from './driver.ts';

export interface PoolConnections extends Connections {
  /** Destroys the connections that are in use now. */
  destroy(): void;
}

/** @param prepared whether each connection prepares recurring statements */
export const poolConnections = (pool: () => Promise<PgPool>, prepared: boolean): PoolConnections => {
  const names = prepared ? statementNames : undefined;
  const used = new Set<PgConnection>();
  return {
    async use(work, options = {}) {
      const client = await (await pool()).connect();
      const connection = new PgConnection(client, names, options);
      // A connection may be lost between two statements. The next statement then fails.
      client.on('error', ignored);
      used.add(connection);
      try {
        options.signal?.throwIfAborted();
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

export const ignored = (): void => undefined;
