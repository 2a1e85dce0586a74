import type { KindName } from '../api/kind-names.ts';
import { kinds } from '../api/kinds.ts';
import { withDerived } from '../api/kit/derived.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Scalar } from '../query/index.ts';
import type { IndexedFields } from '../role-index/question.ts';
import type { IndexedRow } from '../role-index/table-index.ts';
import { tableOf } from './views.ts';
import { isUnrecorded } from './visible.ts';

const all: readonly Kind[] = Object.values(kinds);

/** Sets by which roles select: what entities carry, and what policies select. */
const setsOf = ({ fields }: Kind): readonly string[] =>
  Object.entries(fields).flatMap(([name, { set }]) =>
    set?.of === 'attributes' || set?.of === 'selectors' || set?.of === 'attributeIndex' ? [name] : [],
  );

/** Whether it is of the view, and how a policy takes its roles: questions about sets ask this, too. */
const valuesOf = ({ view, fields }: Kind): readonly (readonly [string, readonly Scalar[]])[] => [
  ...(view ? [[view.where, [true]] as const] : []),
  ...(fields.semantic ? [['semantic', ['AllOf', 'AnyOf']] as const] : []),
];

const hiddenIn = (kind: Kind): readonly string[] => Object.keys(kind.fields).filter((name) => isUnrecorded(kind, name));

/** A table, and what is indexed of it. */
export interface IndexedTable extends IndexedFields {
  /** Fields that change records do not show. */
  readonly hidden: ReadonlySet<string>;
}

/** The tables that roles are about. */
export const indexedTables: ReadonlyMap<string, IndexedTable> = new Map(
  [...Map.groupBy(all, tableOf)].flatMap(([table, of]) => {
    const sets = [...new Set(of.flatMap(setsOf))];
    const indexed = { sets, values: new Map(of.flatMap(valuesOf)), hidden: new Set(of.flatMap(hiddenIn)) };
    return sets.length === 0 ? [] : [[table, indexed] as const];
  }),
);

/** What a change record says of a row, with the hidden fields that follow from it. */
export const imageOf = (entity: KindName, row: object | null): IndexedRow | undefined => {
  if (row === null) return undefined;
  const kind: Kind = kinds[entity];
  const image = withDerived(kind.fields, row as IndexedRow); // rows have an id
  // Only edge routers are written as such.
  return kind.view ? { ...image, [kind.view.where]: true } : image;
};
