/**
 * Migrations as data. Columns and sets only index the documents, so every step can fill what it adds from them.
 * `scripts/migration.ts` derives the migrations from the storage schema, to which they add up.
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

/** What a migration does. */
export type Step =
  /** Creates the tables that all kinds share. */
  | { readonly do: 'found' }
  | { readonly do: 'addKind'; readonly kind: KindSchema }
  | { readonly do: 'dropKind'; readonly kind: KindSchema }
  | { readonly do: 'addColumn'; readonly kind: string; readonly column: ColumnSchema }
  | { readonly do: 'dropColumn'; readonly kind: string; readonly column: ColumnSchema }
  | { readonly do: 'addSet' | 'dropSet'; readonly kind: string; readonly set: string };

/** @returns the next migration after `migrations`, which leads to `schema`; undefined if they already do */
export const nextMigration = (migrations: readonly Migration[], schema: StorageSchema, name: string): Migration | undefined => {
  const steps = stepsBetween(schemaAfter(migrations), schema);
  const found: readonly Step[] = migrations.length === 0 ? [{ do: 'found' }] : [];
  return found.length + steps.length === 0 ? undefined : { version: migrations.length + 1, name, steps: [...found, ...steps] };
};

/** The schema to which migrations add up. */
export const schemaAfter = (migrations: readonly Migration[]): StorageSchema =>
  migrations.flatMap((migration) => migration.steps).reduce<StorageSchema>(applied, []);

const applied = (schema: StorageSchema, step: Step): StorageSchema => {
  switch (step.do) {
    case 'found':
      return schema;
    case 'addKind':
      return [...schema, step.kind];
    case 'dropKind':
      return schema.filter((kind) => kind.kind !== step.kind.kind);
    case 'addColumn':
      return changed(schema, step.kind, ({ columns }) => ({ columns: [...columns, step.column] }));
    case 'dropColumn':
      return changed(schema, step.kind, ({ columns }) => ({ columns: columns.filter((column) => column.name !== step.column.name) }));
    case 'addSet':
      return changed(schema, step.kind, ({ sets }) => ({ sets: [...sets, step.set] }));
    case 'dropSet':
      return changed(schema, step.kind, ({ sets }) => ({ sets: sets.filter((set) => set !== step.set) }));
  }
};

/** The kinds of `wanted` that `schema` lacks or stores in another way. */
export const kindsThatDiffer = (schema: StorageSchema, wanted: StorageSchema): readonly string[] =>
  wanted
    .filter(
      (kind) =>
        stepsBetween(
          schema.filter((known) => known.kind === kind.kind),
          [kind],
        ).length > 0,
    )
    .map((kind) => kind.kind);

const stepsBetween = (from: StorageSchema, to: StorageSchema): readonly Step[] => [
  ...from.filter((kind) => !find(to, kind.kind)).map((kind): Step => ({ do: 'dropKind', kind })),
  ...to.flatMap((kind): readonly Step[] => {
    const before = find(from, kind.kind);
    return before ? stepsWithin(before, kind) : [{ do: 'addKind', kind }];
  }),
];

/** A column that changes its type or index is dropped and added again, filled from the documents. */
const stepsWithin = ({ kind, columns, sets }: KindSchema, to: KindSchema): readonly Step[] => {
  const isIn = (list: readonly ColumnSchema[], { name, type, index }: ColumnSchema) =>
    list.some((other) => other.name === name && other.type === type && other.index === index);
  return [
    ...columns.filter((column) => !isIn(to.columns, column)).map((column): Step => ({ do: 'dropColumn', kind, column })),
    ...to.columns.filter((column) => !isIn(columns, column)).map((column): Step => ({ do: 'addColumn', kind, column })),
    ...sets.filter((set) => !to.sets.includes(set)).map((set): Step => ({ do: 'dropSet', kind, set })),
    ...to.sets.filter((set) => !sets.includes(set)).map((set): Step => ({ do: 'addSet', kind, set })),
  ];
};

const find = (schema: StorageSchema, kind: string): KindSchema | undefined => schema.find((known) => known.kind === kind);

const changed = (schema: StorageSchema, kind: string, change: (kind: KindSchema) => Partial<KindSchema>): StorageSchema =>
  schema.map((known) => (known.kind === kind ? { ...known, ...change(known) } : known));
