/**
 * Compatibility of releases on one database. A release is identified by its schema version, the number of its migrations: it works with a newer schema that
 * still has all that it uses.
 */
import type { KindSchema, StorageSchema } from '../../../src/adapter-kit.ts';
import { type Migration, type Step, schemaAfter, tablesAfter } from './migration.ts';

/** True if a database records the steps of its migrations, so that releases that do not know them keep working. */
export const recordsSteps = (migrations: readonly Migration[]): boolean => migrations.some(isRecording);

/** The oldest schema version whose release keeps working beside that of the last of these migrations. */
export const oldestBeside = (migrations: readonly Migration[]): number => {
  const tables = tablesAfter(migrations);
  // Releases from before steps were recorded refuse every version but their own.
  const first = migrations.find(isRecording)?.version ?? migrations.length;
  let oldest = migrations.length;
  while (oldest > first && isWithin(schemaAfter(migrations.slice(0, oldest - 1)), tables)) oldest--;
  return oldest;
};

/** The last version that a release needs: the migrations after it only retire or drop. */
export const neededVersion = (migrations: readonly Migration[]): number =>
  migrations.findLast((migration) => !canWait(migration))?.version ?? 0;

/** True if a release works without this migration of its own, which changes nothing that the release uses. */
export const canWait = ({ steps }: Migration): boolean => steps.every((step) => !ADDING.has(step.do));

/** A column that is dropped and added again is needed for the adding. */
const ADDING: ReadonlySet<Step['do']> = new Set(['found', 'recordSteps', 'addKind', 'addColumn', 'addSet']);

const isRecording = ({ steps }: Migration): boolean => steps.some((step) => step.do === 'recordSteps');

/** True if statements about `schema` mean the same on `tables`. */
const isWithin = (schema: StorageSchema, tables: StorageSchema): boolean =>
  schema.every((kind) => {
    const there = tables.find((table) => table.kind === kind.kind);
    return there !== undefined && isKindWithin(kind, there);
  });

const isKindWithin = ({ columns, sets }: KindSchema, there: KindSchema): boolean =>
  columns.every(({ name, type }) => there.columns.some((column) => column.name === name && column.type === type)) &&
  sets.every((set) => there.sets.includes(set));
