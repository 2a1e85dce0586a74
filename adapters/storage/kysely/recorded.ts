/** The migrations that a database records as applied. */
import { recordsSteps } from './compatibility.ts';
import { type Connection, run } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import { sharedNames } from './layout.ts';
import type { Migration, Step } from './migration.ts';
import { qualified } from './render.ts';
import type { Result, ResultRow } from './result.ts';
import { raw, type Sql, sql } from './sql.ts';

export interface SchemaOptions {
  readonly engine: SqlEngine;
  readonly prefix: string;
  readonly migrations: readonly Migration[];
}

/** The migration state of a database. */
export interface Recorded {
  /** The last migration that was run; 0 if there are no tables. */
  readonly version: number;
  /** The oldest schema version whose release keeps working. */
  readonly oldest: number;
}

/** The query for `recordedOf`. It works on any database that this release can write to. */
export const selectRecorded = (options: SchemaOptions): Sql => {
  const oldest = raw(recordsSteps(options.migrations) ? 'coalesce(oldest, version)' : 'version');
  return sql`select coalesce(max(version), 0) as value, coalesce(max(${oldest}), 0) as oldest from ${tableOf(options)}`;
};

export const recordedOf = (result: Result | undefined): Recorded => ({
  version: Number(result?.rows[0]?.value),
  oldest: Number(result?.rows[0]?.oldest),
});

/** Reads the migration state of any database, even one without tables or one that does not record steps. */
export const recordedIn = async (options: SchemaOptions, connection: Connection): Promise<Recorded> => {
  const version = await versionIn(options, connection);
  if (!hasSteps(options, version)) return { version, oldest: version };
  return recordedOf(await run(options.engine, connection, selectRecorded(options)));
};

export const versionIn = async (options: SchemaOptions, connection: Connection): Promise<number> => {
  const { engine, prefix } = options;
  const numberOf = async (statement: Sql) => Number((await run(engine, connection, statement)).rows[0]?.value);
  if ((await numberOf(engine.tableCount(sharedNames(prefix).migrations))) === 0) return 0;
  return numberOf(sql`select coalesce(max(version), 0) as value from ${tableOf(options)}`);
};

/** The rows of the table of migrations, in order. */
export const rowsIn = async (options: SchemaOptions, connection: Connection, version: number): Promise<readonly ResultRow[]> => {
  if (version === 0) return [];
  const software = raw(hasSteps(options, version) ? 'software' : 'null as software');
  const select = sql`select version, name, applied_at, ${software} from ${tableOf(options)} order by version`;
  return (await run(options.engine, connection, select)).rows;
};

/** The query for `stepsOf`: selects the steps of newer releases. */
export const selectSteps = (options: SchemaOptions): Sql =>
  sql`select steps from ${tableOf(options)} where version > ${options.migrations.length} order by version`;

/** Parses recorded steps. A newer release may record steps that this one lacks; they do not affect what this one uses. */
export const stepsOf = ({ rows }: Result): readonly Step[] => rows.flatMap(({ steps }) => JSON.parse(String(steps)) as Step[]); // recorded by a migration, in this shape

/** True if, in a database of this version, the table of migrations has the columns for steps. */
const hasSteps = ({ migrations }: SchemaOptions, version: number): boolean => recordsSteps(migrations.slice(0, version));

const tableOf = ({ engine, prefix }: SchemaOptions): Sql => qualified(engine, sharedNames(prefix).migrations);
