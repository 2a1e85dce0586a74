import { ALL, and, type Predicate, type Scalar } from '../query/index.ts';

/** What an index of a table holds. */
export interface IndexedFields {
  /** Set fields, each with an index by value. */
  readonly sets: readonly string[];
  /** Single-valued fields, with those of their values that rows are found by. */
  readonly values: ReadonlyMap<string, readonly Scalar[]>;
  /** Text fields that are searched for what they contain. Default: none. */
  readonly texts?: readonly string[];
}

/** A question about rows, taken apart: a row satisfies it if it satisfies both parts. */
export interface Question {
  /** What the index answers. */
  readonly indexed: Predicate;
  /** What it does not. */
  readonly rest: Predicate;
}

/** @returns undefined if the question asks nothing of a set or of a text that is indexed */
export const questionOf = (fields: IndexedFields, where: Predicate): Question | undefined => {
  const terms = termsOf(where);
  const indexed = terms.filter((term) => isIndexed(fields, term));
  if (!indexed.some(asksOfSetOrText)) return undefined;
  return {
    indexed: and(...indexed),
    rest: indexed.length === terms.length ? ALL : and(...terms.filter((term) => !indexed.includes(term))),
  };
};

/** The text fields that a question searches, and that can be indexed for it. */
export const textsIn = (where: Predicate): readonly string[] => {
  if (where.op === 'and' || where.op === 'or') return [...new Set(where.terms.flatMap(textsIn))];
  if (where.op === 'not') return textsIn(where.term);
  return where.op === 'contains' && isSearchable(where) ? [where.field.path[0]] : [];
};

/** Half of a surrogate pair is no letter, and has no upper case. */
const isSearchable = ({ field: { path, type }, value }: Extract<Predicate, { readonly op: 'contains' }>): boolean =>
  path.length === 1 && type === 'string' && value.isWellFormed();

const termsOf = (where: Predicate): readonly Predicate[] => (where.op === 'and' ? where.terms.flatMap(termsOf) : [where]);

const isIndexed = (fields: IndexedFields, where: Predicate): boolean => {
  switch (where.op) {
    case 'all':
    case 'none':
      return true;
    case 'and':
    case 'or':
      return where.terms.every((term) => isIndexed(fields, term));
    case 'not':
      return isIndexed(fields, where.term);
    case 'overlaps':
    case 'covers':
    case 'coveredBy':
      return fields.sets.includes(where.set);
    case 'in':
      return where.field.path.join() === 'id' && where.values.every((value) => typeof value === 'string');
    case 'compare':
      return where.is === '=' && where.field.path.length === 1 && (fields.values.get(where.field.path[0])?.includes(where.value) ?? false);
    case 'contains':
      return isSearchable(where) && (fields.texts?.includes(where.field.path[0]) ?? false);
    default:
      return false;
  }
};

const asksOfSetOrText = (where: Predicate): boolean => {
  if (where.op === 'and' || where.op === 'or') return where.terms.some(asksOfSetOrText);
  return where.op === 'not' ? asksOfSetOrText(where.term) : OF_SETS_AND_TEXTS.has(where.op);
};
const OF_SETS_AND_TEXTS: ReadonlySet<Predicate['op']> = new Set(['overlaps', 'covers', 'coveredBy', 'contains']);
