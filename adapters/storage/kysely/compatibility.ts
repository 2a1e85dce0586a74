/**
 * Compatibility of releases that share a database. A release is identified by its schema version, the number of its migrations. It can use
 * a newer schema that still has all of its own tables and columns.
 */
import type { KindSchema, StorageSchema } from '../../../src/adapter-kit.ts';
import { type Migration, type Step, schemaAfter, tablesAfter } from './migration.ts';

/** True if a database with these migrations records their steps, so that older releases can judge migrations that they do not have. */
export const recordsSteps = (migrations: readonly Migration[]): boolean => migrations.some(isRecording);

/** The oldest schema version whose release can share a database with the release of the last migration. */
export const oldestBeside = (migrations: readonly Migration[]): number => {
  const tables = tablesAfter(migrations);
  // Releases that predate recorded steps refuse every schema version but their own.
  const first = migrations.find(isRecording)?.version ?? migrations.length;
  let oldest = migrations.length;
  while (oldest > first && isWithin(schemaAfter(migrations.slice(0, oldest - 1)), tables)) oldest--;
  return oldest;
};

/** The oldest schema version that a release can use: all its later migrations only retire or drop something. */
export const neededVersion = (migrations: readonly Migration[]): number =>
  migrations.findLast((migration) => !canWait(migration))?.version ?? 0;

/** True if a migration adds nothing, so that its release also works on a database without it. */
export const canWait = ({ steps }: Migration): boolean => steps.every((step) => !ADDING.has(step.do));

/** The steps that add something. A migration that drops a column and adds it again has such a step, so it is needed. */
const ADDING: ReadonlySet<Step['do']> = new Set(['found', 'recordSteps', 'addKind', 'addColumn', 'addSet']);

const isRecording = ({ steps }: Migration): boolean => steps.some((step) => step.do === 'recordSteps');

/** True if `tables` has everything in `schema`, so that statements for `schema` work on it unchanged. */
const isWithin = (schema: StorageSchema, tables: StorageSchema): boolean =>
  schema.every((kind) => {
    const existing = tables.find((table) => table.kind === kind.kind);
    return existing !== undefined && isKindWithin(kind, existing);
  });

const isKindWithin = ({ columns, sets }: KindSchema, existing: KindSchema): boolean =>
  columns.every(({ name, type }) => existing.columns.some((column) => column.name === name && column.type === type)) &&
  sets.every((set) => existing.sets.includes(set));
