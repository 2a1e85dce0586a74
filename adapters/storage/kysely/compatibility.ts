/**
 * Which releases can work on one database side by side. A release is known here by its schema version, the number of its migrations: it can go on in a
 * newer schema as long as all that it uses is there.
 */
import type { KindSchema, StorageSchema } from '../../../src/adapter-kit.ts';
import { type Migration, type Step, schemaAfter, tablesAfter } from './migration.ts';

/** Whether a database tells what its migrations did, so that releases which do not know them can go on. */
export const recordsSteps = (migrations: readonly Migration[]): boolean => migrations.some(isRecording);

/** The oldest schema version whose release can go on beside that of the last of these migrations. */
export const oldestBeside = (migrations: readonly Migration[]): number => {
  const tables = tablesAfter(migrations);
  // Releases from before steps were recorded refuse every version but their own.
  const first = migrations.find(isRecording)?.version ?? migrations.length;
  let oldest = migrations.length;
  while (oldest > first && isWithin(schemaAfter(migrations.slice(0, oldest - 1)), tables)) oldest--;
  return oldest;
};

/** The last version that a release cannot do without: the migrations after it only retire or drop. */
export const neededVersion = (migrations: readonly Migration[]): number =>
  migrations.findLast((migration) => !canWait(migration))?.version ?? 0;

/** Whether a release does as well without this migration of its own: it changes nothing that the release uses. */
export const canWait = ({ steps }: Migration): boolean => steps.every((step) => !ADDING.has(step.do));

/** A column that is dropped and added again is needed for the adding. */
const ADDING: ReadonlySet<Step['do']> = new Set(['found', 'recordSteps', 'addKind', 'addColumn', 'addSet']);

const isRecording = ({ steps }: Migration): boolean => steps.some((step) => step.do === 'recordSteps');

/** Whether statements about the one schema mean the same in the other. */
const isWithin = (schema: StorageSchema, tables: StorageSchema): boolean =>
  schema.every((kind) => {
    const there = tables.find((table) => table.kind === kind.kind);
    return there !== undefined && isKindWithin(kind, there);
  });

const isKindWithin = ({ columns, sets }: KindSchema, there: KindSchema): boolean =>
  columns.every(({ name, type }) => there.columns.some((column) => column.name === name && column.type === type)) &&
  sets.every((set) => there.sets.includes(set));
