import { ALL, and, type Predicate, type Scalar } from '../../query/index.ts';

type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

/** The indexed fields of a table. */
export interface IndexedFields {
  /** Set fields, each with an index by value. */
  readonly sets: readonly string[];
  /** Single-valued fields, each with the values for which rows are indexed. */
  readonly values: ReadonlyMap<string, readonly Scalar[]>;
  /** Fields by which rows are sorted or compared. Default: none. */
  readonly orders?: readonly string[];
  /** Text fields that are searched for substrings. Default: none. */
  readonly texts?: readonly string[];
}

/** A predicate split into two parts. A row satisfies it if it satisfies both. */
export interface SplitPredicate {
  /** The part that the index evaluates. */
  readonly indexed: Predicate;
  /** The part that remains to be evaluated. */
  readonly rest: Predicate;
}

/**
 * Splits a predicate into the part that an index evaluates and the rest.
 * @param isWorthwhile true if the index is worth using even if it only provides the rows in order
 * @returns undefined if the predicate has no term about an indexed set, order or text, and `isWorthwhile` is false
 */
export const splitPredicate = (fields: IndexedFields, where: Predicate, isWorthwhile = false): SplitPredicate | undefined => {
  const terms = termsOf(where);
  const indexed = terms.filter((term) => isIndexed(fields, term));
  if (!isWorthwhile && !indexed.some(needsIndex)) return undefined;
  return {
    indexed: and(...indexed),
    rest: indexed.length === terms.length ? ALL : and(...terms.filter((term) => !indexed.includes(term))),
  };
};

/** True for a comparison that a sort order can evaluate. The store finds a single value or a range of ids as quickly by itself. */
export const isRange = ({ field: { path, type }, is, value }: Node<'compare'>): boolean => {
  if (is === '=' || path.length > 1 || path[0] === 'id') return false;
  return typeof value === 'string' ? type === 'string' || type === 'date' : typeof value === 'number' && type === 'number';
};

/** Excludes values with an unpaired surrogate, which is not a character and has no upper case. */
export const isSearchable = ({ field: { path, type }, value }: Node<'contains'>): boolean =>
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
      return isRange(where)
        ? (fields.orders?.includes(where.field.path[0]) ?? false)
        : where.is === '=' && where.field.path.length === 1 && (fields.values.get(where.field.path[0])?.includes(where.value) ?? false);
    case 'contains':
      return isSearchable(where) && (fields.texts?.includes(where.field.path[0]) ?? false);
    default:
      return false;
  }
};

const needsIndex = (where: Predicate): boolean => {
  if (where.op === 'and' || where.op === 'or') return where.terms.some(needsIndex);
  return where.op === 'not' ? needsIndex(where.term) : where.op === 'compare' ? isRange(where) : INDEX_OPERATORS.has(where.op);
};
const INDEX_OPERATORS: ReadonlySet<Predicate['op']> = new Set(['overlaps', 'covers', 'coveredBy', 'contains']);
