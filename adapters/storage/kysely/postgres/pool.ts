/** Connections of a pool of `pg`. One that is broken, or that is left in a transaction, is not given back to it. */
import type { Connections } from '../connection.ts';
import { PgConnection } from './connection.ts';
import type { PgPool } from './driver.ts';
import { statementNames } from './statements.ts';

export interface PoolConnections extends Connections {
  /** Destroys the connections that are in use now. */
  destroy(): void;
}

/** @param prepared whether statements that come again are parsed and planned once for each connection. */
export const poolConnections = (pool: () => Promise<PgPool>, prepared: boolean): PoolConnections => {
  const names = prepared ? statementNames : undefined;
  const used = new Set<PgConnection>();
  return {
    async use(work, terms = {}) {
      const client = await (await pool()).connect();
      const connection = new PgConnection(client, names, terms);
      // A connection may be lost between two statements: the next one will tell.
      client.on('error', ignored);
      used.add(connection);
      try {
        terms.signal?.throwIfAborted();
        return await work(connection);
      } finally {
        used.delete(connection);
        await connection.leave();
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
