import { kinds } from '../api/index.ts';
import type { Field } from '../api/kit/field.ts';
import type { Kind } from '../api/kit/resource.ts';
import { isChangedKind } from '../changelog/events.ts';
import { tableOf } from '../changelog/views.ts';
import { and, oneOf, type Predicate, stringField } from '../query/index.ts';

/** A table whose writes draw a revision and leave a change record, except writes of its volatile fields. */
export interface RecordedTable {
  /** Fields whose writes leave no record. */
  readonly volatile: readonly string[];
  /** Fields that refer to other entities, and stand in the records. */
  readonly references: readonly string[];
  /** True if it has sealed fields. */
  readonly isSealed: boolean;
}

const allKinds: readonly Kind[] = Object.values(kinds);

const tables: ReadonlyMap<string, RecordedTable> = new Map(
  [...Map.groupBy(allKinds, tableOf)].flatMap(([table, its]) => {
    const fields = its.flatMap(({ fields }) => Object.entries(fields));
    const named = (is: (field: Field) => unknown) => fields.flatMap(([name, field]) => (is(field) ? [name] : []));
    const references = named(({ reference, keep, volatile }) => reference && keep === 'stored' && !volatile);
    const about = { volatile: named(({ volatile }) => volatile), references, isSealed: named(({ sealedFor }) => sealedFor).length > 0 };
    return its.every(({ kind }) => isChangedKind(kind)) ? [[table, about]] : [];
  }),
);

/** Undefined for a table without change records: nothing that is read from it can be cached. */
export const recordedTable = (table: string): RecordedTable | undefined => tables.get(table);

/** True if every write to a table draws a revision, so that its whole rows can be cached. */
export const isRecordedWholly = (table: string): boolean => tables.get(table)?.volatile.length === 0;

/** A table, or its rows with one id or reference: `identity`, `authenticator identityId 4qF`. The unit of invalidation. */
export type Partition = string;

export const partitionBy = (table: string, field: string, value: unknown): Partition => `${table} ${field} ${value}`;

/** The key of a row in the cache: its partition. */
export const rowKey = (table: string, id: string): string => partitionBy(table, 'id', id);

/** The values of a partitioning field that a predicate looks for. */
interface Lookup {
  readonly field: string;
  readonly values: readonly unknown[];
}

/** True if the rows with a value of this field are a partition. */
export const isPartitionedBy = (table: string, field: string): boolean =>
  field === 'id' || recordedTable(table)?.references.includes(field) === true;

/** The ids or references by which a predicate looks: rows without these do not change its result. Undefined for any other predicate. */
export const lookupIn = (table: string, where: Predicate | undefined): Lookup | undefined => {
  const terms = where?.op === 'and' ? where.terms : where ? [where] : [];
  for (const term of terms) {
    const values = term.op === 'compare' && term.is === '=' ? [term.value] : term.op === 'in' ? term.values : undefined;
    if (values === undefined || !('field' in term) || term.field.path.length > 1) continue;
    const [field] = term.field.path;
    if (isPartitionedBy(table, field)) return { field, values };
  }
  return undefined;
};

/** The partition that a predicate reads: rows outside do not change its result. */
export const partitionOf = (table: string, where: Predicate | undefined): Partition => {
  const { field, values } = lookupIn(table, where) ?? { field: '', values: [] };
  return values.length === 1 ? partitionBy(table, field, values[0]) : table;
};

/** The predicate of `Transaction.referenced`. */
export const referencePredicate = (field: string, values: readonly string[], where?: Predicate): Predicate => {
  const ofThese = oneOf(stringField(field), values);
  return where ? and(ofThese, where) : ofThese;
};
