/** Reads the processor time of a PostgreSQL server on this machine from Linux's `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

export interface Backends {
  /** User and system time of all processes so far, in milliseconds, with a resolution of 10 ms. */
  processorMs(): number;
}

/** For a store without backends. */
export const NO_BACKENDS: Backends = { processorMs: () => 0 };

/** Unit of the times in `/proc/PID/stat`, in milliseconds. */
const TICK_MS = 10;

/** The fields of `/proc/PID/stat`, starting with the state; undefined if the process has ended. */
const statOf = (pid: string): readonly string[] | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
};
const parentIn = (stat: readonly string[]): string | undefined => stat[1];
/** The processor time of a process and of its terminated children, in ticks. */
const ticksIn = (stat: readonly string[]): number => [11, 12, 13, 14].reduce((sum, field) => sum + Number(stat[field]), 0);

/** Finds the backends of a database. @throws Error if the server is on another machine, or if this machine has no `/proc` */
export const backendsOf = async (connectionString: string): Promise<Backends> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const stat = statOf(String(rows[0].pid));
  await client.end();
  const server = stat && parentIn(stat);
  if (!server) throw new Error('the processes of the database are not on this machine, so their processor time cannot be read');
  return {
    processorMs: () => {
      const stats = readdirSync('/proc').flatMap((pid) => {
        const found = /^\d+$/.test(pid) ? statOf(pid) : undefined;
        return found && (pid === server || parentIn(found) === server) ? [found] : [];
      });
      return stats.reduce((sum, each) => sum + ticksIn(each), 0) * TICK_MS;
    },
  };
};
