/**
 * What SQL databases disagree about, as one value for each of them. Everything else in the Kysely adapter is said the same way to all: SQLite
 * (`sqlite/engine.ts`) and PostgreSQL (`postgres/engine.ts`) have no other place where they are known.
 */
import type { SqlQueries } from './queries.ts';
import type { SqlSyntax } from './syntax.ts';
import type { SqlTables } from './tables.ts';
import type { SqlTransactions } from './transactions.ts';
import type { SqlWrites } from './writes.ts';

/**
 * A SQL database, as the Kysely adapter sees it: what object-relational mappers call a dialect. `sqlite` and `postgres` are two; another one is a value of
 * this type, given to `kyselyStorage({ engine })`. A member without a default must be there.
 *
 * Members are called often, and keep no state. Those that return SQL put values into it with the tag `sql`, never as text; SQL that they are given they may
 * use more than once.
 */
export interface SqlEngine extends SqlSyntax, SqlTransactions, SqlTables, SqlWrites, SqlQueries {}
