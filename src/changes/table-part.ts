import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Recorded } from './cached-state.ts';

/** A table, or those of its rows that share an id or a reference, as `identity` or `authenticator identityId 4qF`. */
export type TablePart = string;

export const partBy = (table: string, field: string, value: unknown): TablePart => `${table} ${field} ${value}`;

/** The part of a table in which a predicate looks: no row of another changes what it finds. */
export const partOf = (table: string, recorded: Recorded | undefined, where: Predicate | undefined): TablePart => {
  const terms = where?.op === 'and' ? where.terms : where ? [where] : [];
  for (const term of terms) {
    const value =
      term.op === 'compare' && term.is === '=' ? term.value : term.op === 'in' && term.values.length === 1 ? term.values[0] : undefined;
    if (value === undefined || !('field' in term) || term.field.path.length > 1) continue;
    const [field] = term.field.path;
    if (field === 'id' || recorded?.references.includes(field)) return partBy(table, field, value);
  }
  return table;
};

/** Whether what a question finds changes by recorded changes of its table alone. */
export const isLasting = ({ volatile }: Recorded, question: string): boolean =>
  !question.includes('"kind":') && !volatile.some((field) => question.includes(`"${field}"`));

/** The predicate of the rows among which `Transaction.referenced` looks. */
export const referring = (field: string, values: readonly string[], where?: Predicate): Predicate => {
  const ofThese = oneOf(stringField(field), values);
  return where ? and(ofThese, where) : ofThese;
};
