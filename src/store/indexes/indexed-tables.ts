import type { KindName } from '../../contract/api/kind-names.ts';
import { kinds } from '../../contract/api/kinds.ts';
import { withDerived } from '../../contract/api/kit/derived.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Scalar } from '../../query/index.ts';
import { tableOf } from '../changelog/views.ts';
import { isUnrecorded } from '../changelog/visible.ts';
import type { IndexedFields } from './split-predicate.ts';
import type { IndexedRow } from './table-index.ts';

const all: readonly Kind[] = Object.values(kinds);

/** The set fields that hold roles: attributes of entities, and selectors of policies. */
const setsOf = ({ fields }: Kind): readonly string[] =>
  Object.entries(fields).flatMap(([name, { set }]) =>
    set?.of === 'attributes' || set?.of === 'selectors' || set?.of === 'attributeIndex' ? [name] : [],
  );

/** Other fields that queries about roles compare, with their values: the flag of a view, and the semantic of a policy. */
const valuesOf = ({ view, fields }: Kind): readonly (readonly [string, readonly Scalar[]])[] => [
  ...(view ? [[view.where, [true]] as const] : []),
  ...(fields.semantic ? [['semantic', ['AllOf', 'AnyOf']] as const] : []),
];

const hiddenIn = (kind: Kind): readonly string[] => Object.keys(kind.fields).filter((name) => isUnrecorded(kind, name));

/** A table and its indexed fields. */
export interface IndexedTable extends IndexedFields {
  /** Fields that change records omit. */
  readonly hidden: ReadonlySet<string>;
}

/** The tables whose rows have roles. */
export const indexedTables: ReadonlyMap<string, IndexedTable> = new Map(
  [...Map.groupBy(all, tableOf)].flatMap(([table, kindsIn]) => {
    const sets = [...new Set(kindsIn.flatMap(setsOf))];
    const indexed = { sets, values: new Map(kindsIn.flatMap(valuesOf)), hidden: new Set(kindsIn.flatMap(hiddenIn)) };
    return sets.length === 0 ? [] : [[table, indexed] as const];
  }),
);

/** The image of a row in a change record, completed with the hidden fields that can be derived from it. */
export const imageOf = (entity: KindName, row: object | null): IndexedRow | undefined => {
  if (row === null) return undefined;
  const kind: Kind = kinds[entity];
  const image = withDerived(kind.fields, row as IndexedRow); // rows have an id
  // Only rows of the view are recorded under its kind.
  return kind.view ? { ...image, [kind.view.where]: true } : image;
};
