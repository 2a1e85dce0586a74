import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { performanceNow } from '../../../../src/adapter-kit.ts';
import type { PgPool, PgPoolClient } from './driver.ts';

/** The time that the server that worked last may take before the others are asked, and the interval until they are asked again. ms */
const PATIENCE_MS = 500;
/** A connection that was last checked before this time is checked again before it is used: its server may be silent, or a standby. ms */
const CHECKED_MS = 1000;

/**
 * Combines the pools of several servers into one, for failover. The server that worked last is asked first. If it refuses, or is silent
 * for half a second, the others are asked in order. The role of the server is checked for every new connection, and for one that was idle.
 * @param serverCheck a query whose `value` is true on a server with the right role; undefined to accept any server
 * @param timeout time limit for this query, in milliseconds
 */
export const failoverPool = (pools: readonly PgPool[], serverCheck: string | undefined, timeout: number): PgPool => {
  /** When each client was checked, by `performanceNow`. */
  const checked = new WeakMap<PgPoolClient, number>();
  let last = 0;
  /** The search for another server, which all callers share. */
  let search: Promise<number> | undefined;
  const assertRight = async (client: PgPoolClient): Promise<void> => {
    if (serverCheck === undefined || performanceNow() - (checked.get(client) ?? Number.NEGATIVE_INFINITY) < CHECKED_MS) return;
    const timer = setTimeout(() => client.connection?.stream.destroy(), timeout);
    const answer = await client.query({ text: serverCheck }).finally(() => clearTimeout(timer));
    const [row] = 'rows' in answer ? answer.rows : [];
    if (row?.value !== true) throw new WrongServer();
    checked.set(client, performanceNow());
  };
  const connect = async (index: number): Promise<PgPoolClient> => {
    const client = await (pools[index] ?? noServer()).connect();
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
  /** Asks the servers after one, again and again while that one is silent. @returns the first with the right role */
  const searchAfter = async (index: number, isSilent: () => boolean): Promise<number> => {
    for (;;) {
      const errors: unknown[] = [];
      for (let i = 1; i < pools.length; i++) {
        const other = (index + i) % pools.length;
        try {
          (await connect(other)).release();
          last = other;
          return other;
        } catch (error) {
          errors.push(error);
        }
      }
      if (!isSilent()) throw clearest(errors);
      await pause(PATIENCE_MS);
    }
  };
  return {
    async connect() {
      const index = last;
      let isSilent = true;
      const asked = connect(index).finally(() => {
        isSilent = false;
      });
      const client = await within(PATIENCE_MS, asked);
      if (client) return client;
      search ??= searchAfter(index, () => isSilent).finally(() => {
        search = undefined;
      });
      const elsewhere = search.then(connect);
      return firstOf([asked, elsewhere]);
    },
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
    on: (event, listener) => {
      for (const pool of pools) pool.on(event, listener);
    },
  };
};

/** The client, or undefined if there is none yet after some milliseconds, or none at all. */
const within = async (milliseconds: number, asked: Promise<PgPoolClient>): Promise<PgPoolClient | undefined> => {
  const over = new AbortController();
  const waited = pause(milliseconds, undefined, { signal: over.signal }).catch(ignored);
  const client = await Promise.race([asked.catch(ignored), waited]);
  over.abort();
  return client ?? undefined;
};

/** The first client that is there. The others are released once they are. @throws the clearest error, if there is none */
const firstOf = async (asked: readonly Promise<PgPoolClient>[]): Promise<PgPoolClient> => {
  const first = await Promise.any(asked).catch((error: unknown) => {
    throw error instanceof AggregateError ? clearest(error.errors) : error;
  });
  for (const each of asked) each.then((client) => client === first || client.release(), ignored);
  return first;
};

/** An unreachable server explains the failure better than a reachable one with the wrong role. */
const clearest = (errors: readonly unknown[]): unknown => errors.find((error) => !(error instanceof WrongServer)) ?? errors[0];

const noServer = (): never => {
  throw new RangeError('the index of a server is out of range');
};

/**
 * A server with the wrong role was reached. The code is that of a failed connection, as in
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
class WrongServer extends Error {
  readonly code = '08004';
  constructor() {
    super('no server in the connection string accepts writes');
  }
}

const ignored = (): void => undefined;
