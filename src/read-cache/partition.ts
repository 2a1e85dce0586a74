import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import { recordedTable } from './recorded-tables.ts';

/** A table, or its rows with one id or reference: `identity`, `authenticator identityId 4qF`. The unit of invalidation. */
export type Partition = string;

export const partitionBy = (table: string, field: string, value: unknown): Partition => `${table} ${field} ${value}`;

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
