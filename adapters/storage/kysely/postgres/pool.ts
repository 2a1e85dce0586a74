/** Connections from a `pg` pool. A connection that is broken or still in a transaction is not returned to the pool. */
import type { Connections } from '../connection.ts';
import { PgConnection } from './connection.ts';
import type { PgPool, PgPoolClient } from './driver.ts';
import { isPooled } from './pooler.ts';
import { withAdvice } from './pooler-errors.ts';
import { Preparation } from './prepared.ts';

export interface PoolConnections extends Connections {
  /** Destroys the connections that are in use now. */
  destroy(): void;
}

/** @param prepared whether each connection prepares recurring statements; undefined: those that no pooler shares do */
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
