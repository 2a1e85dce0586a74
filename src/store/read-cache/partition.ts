import { kinds } from '../../contract/api/index.ts';
import type { Field } from '../../contract/api/kit/field.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { isChangedKind } from '../../contract/changes/events.ts';
import { and, oneOf, type Predicate, stringField } from '../../query/index.ts';
import { tableOf } from '../changelog/views.ts';

/** A table whose writes take a revision and append a change record, except writes that change only its volatile fields. */
export interface RecordedTable {
  /** Fields whose writes append no record. */
  readonly volatile: readonly string[];
  /** Fields that refer to other entities and are included in the records. */
  readonly references: readonly string[];
  /** True if it has sealed fields. */
  readonly isSealed: boolean;
}

const allKinds: readonly Kind[] = Object.values(kinds);

const tables: ReadonlyMap<string, RecordedTable> = new Map(
  [...Map.groupBy(allKinds, tableOf)].flatMap(([table, kindsIn]) => {
    const fields = kindsIn.flatMap(({ fields }) => Object.entries(fields));
    const namesWhere = (test: (field: Field) => unknown) => fields.flatMap(([name, field]) => (test(field) ? [name] : []));
    const references = namesWhere(({ reference, keep, volatile }) => reference && keep === 'stored' && !volatile);
    const isSealed = namesWhere(({ sealedFor }) => sealedFor).length > 0;
    const recorded = { volatile: namesWhere(({ volatile }) => volatile), references, isSealed };
    return kindsIn.every(({ kind }) => isChangedKind(kind)) ? [[table, recorded]] : [];
  }),
);

/** Undefined for a table without change records. Nothing read from such a table can be cached. */
export const recordedTable = (table: string): RecordedTable | undefined => tables.get(table);

/** True if every write to a table takes a revision, so that entire rows can be cached. */
export const isRecordedWholly = (table: string): boolean => tables.get(table)?.volatile.length === 0;

/** The unit of invalidation: a table, or its rows with one id or reference, such as `identity` or `authenticator identityId 4qF`. */
export type Partition = string;

export const partitionBy = (table: string, field: string, value: unknown): Partition => `${table} ${field} ${value}`;

/** The key of a row in the cache: its partition. */
export const rowKey = (table: string, id: string): string => partitionBy(table, 'id', id);

/** The values of a partitioning field to which a predicate restricts a query. */
interface Lookup {
  readonly field: string;
  readonly values: readonly unknown[];
}

/** True if the rows with the same value of this field form a partition. */
export const isPartitionedBy = (table: string, field: string): boolean =>
  field === 'id' || recordedTable(table)?.references.includes(field) === true;

/**
 * The ids or references to which a predicate restricts a query, so that other rows cannot affect its result; undefined for any other
 * predicate.
 */
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

/** The partition to which a predicate restricts a query. Rows outside it cannot affect the result. */
export const partitionOf = (table: string, where: Predicate | undefined): Partition => {
  const { field, values } = lookupIn(table, where) ?? { field: '', values: [] };
  return values.length === 1 ? partitionBy(table, field, values[0]) : table;
};

/** The predicate that `Transaction.referenced` evaluates. */
export const referencePredicate = (field: string, values: readonly string[], where?: Predicate): Predicate => {
  const isReferenced = oneOf(stringField(field), values);
  return where ? and(isReferenced, where) : isReferenced;
};
