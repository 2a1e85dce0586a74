/**
 * The differences between SQL databases, as one value per database. All other files of the Kysely adapter are the same for every database.
 */
import type { SqlQueries } from './queries.ts';
import type { SqlSyntax } from './syntax.ts';
import type { SqlTables } from './tables.ts';
import type { SqlTransactions } from './transactions.ts';
import type { SqlWrites } from './writes.ts';

/**
 * The interface of the Kysely adapter to a SQL database; object-relational mappers call this a dialect. `sqlite` and `postgres` are
 * engines. Any other value of this type can be passed to `kyselyStorage({ engine })`. Members with a default are optional.
 *
 * Members are called for every statement and must be stateless. They must put values into SQL with the tag `sql`, never as text. They may
 * use an argument of type `Sql` more than once.
 */
export interface SqlEngine extends SqlSyntax, SqlTransactions, SqlTables, SqlWrites, SqlQueries {}
