import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Recorded } from './cached-state.ts';

/** A table, or those of its rows that share an id or a reference, as `identity` or `authenticator identityId 4qF`. */
export type TablePart = string;

export const partBy = (table: string, field: string, value: unknown): TablePart => `${table} ${field} ${value}`;

/** A field that divides a table into parts, and the values of it that are looked for. */
interface Sought {
  readonly field: string;
  readonly values: readonly unknown[];
}

/** Whether the rows with a value of this field are a part of the table. */
export const isDividedBy = (recorded: Recorded | undefined, field: string): boolean =>
  field === 'id' || recorded?.references.includes(field) === true;

/** By which ids or references a predicate looks: no row that has none of them changes what it finds. Undefined where it looks by others. */
export const soughtIn = (recorded: Recorded | undefined, where: Predicate | undefined): Sought | undefined => {
  const terms = where?.op === 'and' ? where.terms : where ? [where] : [];
  for (const term of terms) {
    const values = term.op === 'compare' && term.is === '=' ? [term.value] : term.op === 'in' ? term.values : undefined;
    if (values === undefined || !('field' in term) || term.field.path.length > 1) continue;
    const [field] = term.field.path;
    if (isDividedBy(recorded, field)) return { field, values };
  }
  return undefined;
};

/** The part of a table in which a predicate looks: no row of another changes what it finds. */
export const partOf = (table: string, recorded: Recorded | undefined, where: Predicate | undefined): TablePart => {
  const { field, values } = soughtIn(recorded, where) ?? { field: '', values: [] };
  return values.length === 1 ? partBy(table, field, values[0]) : table;
};

/** Whether what a question finds changes by recorded changes of its table alone. */
export const isLasting = ({ volatile }: Recorded, question: string): boolean =>
  !question.includes('"kind":') && !volatile.some((field) => question.includes(`"${field}"`));

/** The predicate of the rows among which `Transaction.referenced` looks. */
export const referring = (field: string, values: readonly string[], where?: Predicate): Predicate => {
  const ofThese = oneOf(stringField(field), values);
  return where ? and(ofThese, where) : ofThese;
};
