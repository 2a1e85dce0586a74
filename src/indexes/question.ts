import { ALL, and, type Predicate, type Scalar } from '../query/index.ts';

type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

/** The indexed fields of a table. */
export interface IndexedFields {
  /** Set fields, each with an index by value. */
  readonly sets: readonly string[];
  /** Single-valued fields, with those of their values that rows are found by. */
  readonly values: ReadonlyMap<string, readonly Scalar[]>;
  /** Fields that rows are sorted by, and compared. Default: none. */
  readonly orders?: readonly string[];
  /** Text fields that are searched for what they contain. Default: none. */
  readonly texts?: readonly string[];
}

/** A question about rows, taken apart: a row satisfies it if it satisfies both parts. */
export interface Question {
  /** The part that the index evaluates. */
  readonly indexed: Predicate;
  /** The other part. */
  readonly rest: Predicate;
}

/**
 * @param isWorth whether an index pays also where nothing is asked of it but rows in their order
 * @returns undefined if the question asks nothing of a set, an order or a text that is indexed
 */
export const questionOf = (fields: IndexedFields, where: Predicate, isWorth = false): Question | undefined => {
  const terms = termsOf(where);
  const indexed = terms.filter((term) => isIndexed(fields, term));
  if (!isWorth && !indexed.some(asksMuch)) return undefined;
  return {
    indexed: and(...indexed),
    rest: indexed.length === terms.length ? ALL : and(...terms.filter((term) => !indexed.includes(term))),
  };
};

/** The fields that a question searches (`contains`), or compares, and that can be indexed for it. */
export const columnsIn = (where: Predicate, op: 'contains' | 'compare'): readonly string[] => {
  if (where.op === 'and' || where.op === 'or') return [...new Set(where.terms.flatMap((term) => columnsIn(term, op)))];
  if (where.op === 'not') return columnsIn(where.term, op);
  if (where.op === 'contains' && op === 'contains') return isSearchable(where) ? [where.field.path[0]] : [];
  return where.op === 'compare' && op === 'compare' && isRange(where) ? [where.field.path[0]] : [];
};

/** A comparison that an order answers. A single value, and ids from one on, the store finds as quickly. */
const isRange = ({ field: { path, type }, is, value }: Node<'compare'>): boolean => {
  if (is === '=' || path.length > 1 || path[0] === 'id') return false;
  return typeof value === 'string' ? type === 'string' || type === 'date' : typeof value === 'number' && type === 'number';
};

/** Half of a surrogate pair is no letter, and has no upper case. */
const isSearchable = ({ field: { path, type }, value }: Node<'contains'>): boolean =>
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

const asksMuch = (where: Predicate): boolean => {
  if (where.op === 'and' || where.op === 'or') return where.terms.some(asksMuch);
  return where.op === 'not' ? asksMuch(where.term) : where.op === 'compare' ? isRange(where) : MUCH.has(where.op);
};
const MUCH: ReadonlySet<Predicate['op']> = new Set(['overlaps', 'covers', 'coveredBy', 'contains']);
