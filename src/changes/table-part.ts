import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import { recordedTable } from './recorded-tables.ts';

/** A table, or those of its rows that share an id or a reference, as `identity` or `authenticator identityId 4qF`. */
export type TablePart = string;

export const partBy = (table: string, field: string, value: unknown): TablePart => `${table} ${field} ${value}`;

/** A field that divides a table into parts, and the values of it that are looked for. */
interface Sought {
  readonly field: string;
  readonly values: readonly unknown[];
}

/** Whether the rows with a value of this field are a part of the table. */
export const isDividedBy = (table: string, field: string): boolean =>
  field === 'id' || recordedTable(table)?.references.includes(field) === true;

/** By which ids or references a predicate looks: no row that has none of them changes what it finds. Undefined where it looks by others. */
export const soughtIn = (table: string, where: Predicate | undefined): Sought | undefined => {
  const terms = where?.op === 'and' ? where.terms : where ? [where] : [];
  for (const term of terms) {
    const values = term.op === 'compare' && term.is === '=' ? [term.value] : term.op === 'in' ? term.values : undefined;
    if (values === undefined || !('field' in term) || term.field.path.length > 1) continue;
    const [field] = term.field.path;
    if (isDividedBy(table, field)) return { field, values };
  }
  return undefined;
};

/** The part of a table in which a predicate looks: no row of another changes what it finds. */
export const partOf = (table: string, where: Predicate | undefined): TablePart => {
  const { field, values } = soughtIn(table, where) ?? { field: '', values: [] };
  return values.length === 1 ? partBy(table, field, values[0]) : table;
};

/** The predicate of the rows among which `Transaction.referenced` looks. */
export const referring = (field: string, values: readonly string[], where?: Predicate): Predicate => {
  const ofThese = oneOf(stringField(field), values);
  return where ? and(ofThese, where) : ofThese;
};
