/**
 * The schema versions that a release works with, and the tables of each. The release's own version is that of its last migration. An older
 * version may lack only migrations that can wait. A newer version must keep everything that this release uses. Its additional columns and
 * sets are known from the recorded steps, and this release fills them too, because they only index the documents.
 */
import { type SchemaDifference, type StorageSchema, StoreSchemaMismatch } from '../../../src/adapter-kit.ts';
import { neededVersion } from './compatibility.ts';
import type { SqlEngine } from './engine/index.ts';
import { afterSteps, kindsThatDiffer, type Migration, schemaAfter, tablesAfter } from './migration.ts';
import { type Recorded, recordedOf, type SchemaOptions, selectRecorded, selectSteps, stepsOf } from './recorded.ts';
import type { Result } from './result.ts';
import type { Scope } from './scope.ts';
import type { Sql } from './sql.ts';

type Run = (statement: Sql) => Promise<Result>;

/**
 * Every write checks the version after it has acquired the writer lock, because a newer release may have migrated the database while this
 * one is running.
 */
export class Versions {
  /** The query for the schema version of the database. */
  readonly statement: Sql;
  readonly #options: SchemaOptions;
  readonly #scopeOf: (tables: StorageSchema) => Scope;
  #version: number;
  #scope: Scope;

  /**
   * @param found the version when the store was opened
   * @param tables the tables of that version
   */
  constructor(options: SchemaOptions, scopeOf: (tables: StorageSchema) => Scope, found: Recorded, tables: StorageSchema) {
    this.statement = selectRecorded(options);
    this.#options = options;
    this.#scopeOf = scopeOf;
    this.#version = found.version;
    this.#scope = scopeOf(tables);
  }

  get engine(): SqlEngine {
    return this.#options.engine;
  }

  /** The tables, as of the last check. */
  get scope(): Scope {
    return this.#scope;
  }

  /**
   * The current tables.
   * @param result the result of `statement`
   * @param run runs a statement in the same transaction
   * @throws StoreSchemaMismatch if this release cannot work alongside the one that migrated the database
   */
  async scopeAt(result: Result | undefined, run: Run): Promise<Scope> {
    const { version, oldest } = recordedOf(result);
    const { migrations } = this.#options;
    if (version === this.#version) return this.#scope;
    if (version < neededVersion(migrations) || (version > migrations.length && oldest > migrations.length))
      throw new StoreSchemaMismatch(
        `the database has been migrated to schema version ${version} while this process with version ${migrations.length} was running: it can no longer write; stop it, and run the release that migrated the database`,
      );
    this.#scope = this.#scopeOf(await tablesAt(this.#options, version, run));
    this.#version = version;
    return this.#scope;
  }

  /** The difference of the schema of the database from that of this release. */
  get difference(): SchemaDifference {
    return differenceAt(this.#options.migrations, this.#version);
  }
}

const differenceAt = (migrations: readonly Migration[], version: number): SchemaDifference => ({
  pending: migrations.slice(version).map(({ name, version }) => `${version}-${name}`),
  isAhead: version > migrations.length,
});

/** The tables of a database with this schema version. */
export const tablesAt = async (options: SchemaOptions, version: number, run: Run): Promise<StorageSchema> => {
  const known = tablesAfter(options.migrations.slice(0, version));
  return version > options.migrations.length ? afterSteps(stepsOf(await run(selectSteps(options))), known, 'kept') : known;
};

/** @throws StoreSchemaMismatch if this release cannot work with the database, or if its migrations do not produce `schema` */
export const assertSchema = (migrations: readonly Migration[], { version, oldest }: Recorded, schema: StorageSchema): void => {
  const differing = kindsThatDiffer(schemaAfter(migrations), schema);
  if (differing.length > 0)
    throw new StoreSchemaMismatch(
      `the migrations do not create the tables that ${differing.join(', ')} need: add the missing one with scripts/migration.ts`,
    );
  const [known, needed] = [migrations.length, neededVersion(migrations)];
  if (version === 0 && needed > 0)
    throw new StoreSchemaMismatch(
      `the database has no tables yet, and version ${known} is required: call migrate(), or run the exported SQL`,
    );
  if (version < needed)
    throw new StoreSchemaMismatch(
      `the database has schema version ${version}, and version ${needed} is required: call migrate(), as overlay-controller migrate --apply does, or run the SQL of exportMigrations({ from: ${version} }); pending are ${differenceAt(migrations, version).pending.join(', ')}`,
    );
  if (version > known && oldest > known)
    throw new StoreSchemaMismatch(
      `the database has schema version ${version}, and this release knows versions up to ${known}: run the release that migrated it, or a newer one; to return to this one, restore a snapshot from before the migration`,
    );
};

/** Like `assertSchema`, for a read-only store: an empty database has nothing to read. */
export const assertReadable = ({ version }: Recorded): void => {
  if (version === 0) throw new StoreSchemaMismatch('the database has no tables yet: there is nothing to read');
};
