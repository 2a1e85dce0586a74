/** The applied and pending migrations of a database. */

import { canWait, oldestBeside } from './compatibility.ts';
import type { Connection } from './connection.ts';
import { exportedSql, fulfillingStatements } from './migrate.ts';
import type { Migration, Step } from './migration.ts';
import { recordedIn, rowsIn, type SchemaOptions } from './recorded.ts';
import { unmetRequirements } from './requirements.ts';

/** A migration that was run on a database. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** When it was run, in the database's time format. */
  readonly appliedAt: string;
  /** Name and version of the software that ran it or exported its SQL; null if it ran before the software was recorded. */
  readonly software: string | null;
}

/** A pending migration. */
export interface PendingMigration {
  readonly version: number;
  readonly name: string;
  /** A description of each of its steps. */
  readonly changes: readonly string[];
  /** True if this release works without it: it only drops what this release does not use. */
  readonly canWait: boolean;
}

/** The steps that `migrate` would run. */
export interface MigrationPlan {
  /** Schema version of the database: that of the last migration that was run on it, or 0 if it has no tables. */
  readonly version: number;
  /** The version to which this release migrates. */
  readonly target: number;
  /** The migrations that were run, in order. */
  readonly applied: readonly AppliedMigration[];
  /** The pending migrations, in order; empty if the database is up to date. */
  readonly pending: readonly PendingMigration[];
  /** Unmet requirements other than tables, such as a function or an encoding. */
  readonly missing: readonly string[];
  /**
   * The oldest schema version whose release keeps working on the migrated database. Processes of older releases can no longer write to it.
   */
  readonly oldestBeside: number;
  /** The SQL of all pending migrations, to be run in one transaction; empty if none are pending. */
  readonly sql: string;
}

export const planFor = async (options: SchemaOptions, connection: Connection): Promise<MigrationPlan> => {
  const { engine, migrations } = options;
  const { version, oldest } = await recordedIn(options, connection);
  const rows = await rowsIn(options, connection, version);
  const unmet = await unmetRequirements(engine, connection);
  const pending = migrations.slice(version);
  return {
    version,
    target: migrations.length,
    applied: rows.map((row) => ({
      version: Number(row.version),
      name: String(row.name),
      appliedAt: String(row.applied_at),
      software: row.software == null ? null : String(row.software),
    })),
    pending: pending.map(pendingOf),
    missing: unmet.map(({ advice }) => advice),
    oldestBeside: version > migrations.length ? oldest : oldestBeside(migrations),
    sql: pending.length + unmet.length === 0 ? '' : exportedSql(options, version, fulfillingStatements(unmet)),
  };
};

const pendingOf = (migration: Migration): PendingMigration => ({
  version: migration.version,
  name: migration.name,
  changes: migration.steps.map(describe),
  canWait: canWait(migration),
});

const describe = (step: Step): string => {
  switch (step.do) {
    case 'found':
      return 'creates the tables that all kinds share';
    case 'recordSteps':
      return 'records the steps of each migration, and the releases that can keep working alongside it';
    case 'addKind':
      return `adds the kind ${step.kind.kind}`;
    case 'dropKind':
      return `drops the kind ${step.kind.kind} with its rows`;
    case 'addColumn':
      return `adds the column ${step.column.name} to ${step.kind}, and fills it`;
    case 'dropColumn':
      return `drops the column ${step.column.name} of ${step.kind}`;
    case 'addSet':
      return `adds the set ${step.set} to ${step.kind}, and fills it`;
    case 'dropSet':
      return `drops the set ${step.set} of ${step.kind}`;
    case 'retireKind':
      return `retires the kind ${step.kind}`;
    case 'retireColumn':
      return `retires the column ${step.column} of ${step.kind}`;
    case 'retireSet':
      return `retires the set ${step.set} of ${step.kind}`;
  }
};
