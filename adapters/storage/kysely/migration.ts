/**
 * Migrations as data. Columns and sets only index the documents, so every step can fill the columns and sets it adds from the documents.
 * `scripts/migration.ts` derives each migration from the difference between the earlier migrations and the storage schema.
 */
import type { ColumnSchema, KindSchema, StorageSchema } from '../../../src/adapter-kit.ts';

/** One version of the tables. Released migrations never change. */
export interface Migration {
  /** 1, 2, 3, ... */
  readonly version: number;
  /** A few words joined by hyphens. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A step of a migration. */
export type Step =
  /** Creates the tables that all kinds share. */
  | { readonly do: 'found' }
  /** Adds columns to the table of migrations, for the steps of each migration and the releases that it is compatible with. */
  | { readonly do: 'recordSteps' }
  | { readonly do: 'addKind'; readonly kind: KindSchema }
  | { readonly do: 'dropKind'; readonly kind: KindSchema }
  | { readonly do: 'addColumn'; readonly kind: string; readonly column: ColumnSchema }
  | { readonly do: 'dropColumn'; readonly kind: string; readonly column: ColumnSchema }
  | { readonly do: 'addSet' | 'dropSet'; readonly kind: string; readonly set: string }
  /** No longer used by this release, but kept for the previous one; a later migration drops it. */
  | { readonly do: 'retireKind'; readonly kind: string }
  | { readonly do: 'retireColumn'; readonly kind: string; readonly column: string }
  | { readonly do: 'retireSet'; readonly kind: string; readonly set: string };

/**
 * The next migration after `migrations` on the way to `schema`; undefined if there is nothing to do. It adds what is missing, but only
 * retires what is no longer used, so that the previous release keeps working alongside the new one (expand).
 * @throws TypeError if a retired kind is used again
 */
export const nextMigration = (migrations: readonly Migration[], schema: StorageSchema, name: string): Migration | undefined => {
  const steps = stepsBetween(schemaAfter(migrations), schema, tablesAfter(migrations));
  const found: readonly Step[] = migrations.length === 0 ? [{ do: 'found' }, { do: 'recordSteps' }] : [];
  return found.length + steps.length === 0 ? undefined : { version: migrations.length + 1, name, steps: [...found, ...steps] };
};

/** The migration that drops everything retired (contract); undefined if nothing is. Releases that still use a dropped part stop working. */
export const nextContraction = (migrations: readonly Migration[], name: string): Migration | undefined => {
  const used = schemaAfter(migrations);
  const steps = tablesAfter(migrations).flatMap((kind): readonly Step[] => {
    const usedKind = find(used, kind.kind);
    if (!usedKind) return [{ do: 'dropKind', kind }];
    const columns = kind.columns.filter(({ name }) => !usedKind.columns.some((column) => column.name === name));
    return [
      ...columns.map((column): Step => ({ do: 'dropColumn', kind: kind.kind, column })),
      ...kind.sets.filter((set) => !usedKind.sets.includes(set)).map((set): Step => ({ do: 'dropSet', kind: kind.kind, set })),
    ];
  });
  return steps.length === 0 ? undefined : { version: migrations.length + 1, name, steps };
};

/** The schema after these migrations: everything that the release uses. */
export const schemaAfter = (migrations: readonly Migration[]): StorageSchema => afterSteps(stepsOf(migrations), [], 'used');

/** The tables that exist after the migrations, including retired ones. */
export const tablesAfter = (migrations: readonly Migration[]): StorageSchema => afterSteps(stepsOf(migrations), [], 'kept');

/** The schema after these steps: without the retired parts (`used`), or with them (`kept`). */
export const afterSteps = (steps: readonly Step[], schema: StorageSchema, retired: 'used' | 'kept'): StorageSchema =>
  steps.reduce((before, step) => applied(before, step, retired === 'kept'), schema);

const stepsOf = (migrations: readonly Migration[]): readonly Step[] => migrations.flatMap(({ steps }) => steps);

const applied = (schema: StorageSchema, step: Step, keepsRetired: boolean): StorageSchema => {
  switch (step.do) {
    case 'addKind':
      return [...schema, step.kind];
    case 'dropKind':
      return schema.filter((kind) => kind.kind !== step.kind.kind);
    case 'addColumn':
      return changed(schema, step.kind, ({ columns }) => ({ columns: [...columns, step.column] }));
    case 'dropColumn':
      return withoutColumn(schema, step.kind, step.column.name);
    case 'addSet':
      return changed(schema, step.kind, ({ sets }) => ({ sets: [...sets, step.set] }));
    case 'dropSet':
      return withoutSet(schema, step.kind, step.set);
    case 'retireKind':
      return keepsRetired ? schema : schema.filter((kind) => kind.kind !== step.kind);
    case 'retireColumn':
      return keepsRetired ? schema : withoutColumn(schema, step.kind, step.column);
    case 'retireSet':
      return keepsRetired ? schema : withoutSet(schema, step.kind, step.set);
    // `found`, `recordSteps`, and unknown steps recorded by a newer release: they affect no kind that this release knows.
    default:
      return schema;
  }
};

const withoutColumn = (schema: StorageSchema, kind: string, name: string): StorageSchema =>
  changed(schema, kind, ({ columns }) => ({ columns: columns.filter((column) => column.name !== name) }));

const withoutSet = (schema: StorageSchema, kind: string, name: string): StorageSchema =>
  changed(schema, kind, ({ sets }) => ({ sets: sets.filter((set) => set !== name) }));

/** The kinds in `wanted` that `schema` lacks or stores differently. */
export const kindsThatDiffer = (schema: StorageSchema, wanted: StorageSchema): readonly string[] =>
  wanted
    .filter(
      (kind) =>
        stepsBetween(
          schema.filter((each) => each.kind === kind.kind),
          [kind],
          [],
        ).length > 0,
    )
    .map((kind) => kind.kind);

/** @param tables all existing tables: used and retired */
const stepsBetween = (from: StorageSchema, to: StorageSchema, tables: StorageSchema): readonly Step[] => [
  ...from.filter((kind) => !find(to, kind.kind)).map((kind): Step => ({ do: 'retireKind', kind: kind.kind })),
  ...to.flatMap((kind): readonly Step[] => {
    const before = find(from, kind.kind);
    const existing = find(tables, kind.kind);
    if (before) return stepsWithin(before, kind, existing ?? before);
    if (existing)
      throw new TypeError(`the kind ${kind.kind} was retired, and its table may still contain rows: give the new kind another name`);
    return [{ do: 'addKind', kind }];
  }),
];

/** A column that changes its type or index, or was retired, is dropped and added again; adding it fills it from the documents. */
const stepsWithin = ({ kind, columns, sets }: KindSchema, to: KindSchema, existing: KindSchema): readonly Step[] => {
  const isIn = (list: readonly ColumnSchema[], { name, type, index }: ColumnSchema) =>
    list.some((other) => other.name === name && other.type === type && other.index === index);
  const added = to.columns.filter((column) => !isIn(columns, column));
  const addedSets = to.sets.filter((set) => !sets.includes(set));
  const isKept = ({ name }: ColumnSchema) => to.columns.some((column) => column.name === name);
  return [
    ...columns.filter((column) => !isKept(column)).map(({ name }): Step => ({ do: 'retireColumn', kind, column: name })),
    ...existing.columns
      .filter(({ name }) => added.some((column) => column.name === name))
      .map((column): Step => ({ do: 'dropColumn', kind, column })),
    ...added.map((column): Step => ({ do: 'addColumn', kind, column })),
    ...sets.filter((set) => !to.sets.includes(set)).map((set): Step => ({ do: 'retireSet', kind, set })),
    ...existing.sets.filter((set) => addedSets.includes(set)).map((set): Step => ({ do: 'dropSet', kind, set })),
    ...addedSets.map((set): Step => ({ do: 'addSet', kind, set })),
  ];
};

const find = (schema: StorageSchema, kind: string): KindSchema | undefined => schema.find((each) => each.kind === kind);

const changed = (schema: StorageSchema, kind: string, change: (kind: KindSchema) => Partial<KindSchema>): StorageSchema =>
  schema.map((each) => (each.kind === kind ? { ...each, ...change(each) } : each));
