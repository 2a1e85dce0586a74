/**
 * Connection poolers between the controller and PostgreSQL, such as PgBouncer. In transaction mode, a connection has another session of the server for each
 * transaction. The store needs nothing of a session beyond a transaction, except prepared statements, which it then does without.
 */
import type { PgConnection } from './connection.ts';
import type { PgClient } from './driver.ts';
import { ignoredSearchPath } from './pooler-errors.ts';

/**
 * True if a pooler answered in place of the server when the connection was opened: then it named a process that is not the one that runs the statements.
 * @throws UnsuitablePooler if the pooler ignored the `search_path` of the connection, without which tables of another schema would be used
 */
export const isPooled = async (client: PgClient, connection: PgConnection): Promise<boolean> => {
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
