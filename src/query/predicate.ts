/**
 * A filter whose names are bound to the fields of a kind: the only form in which storage adapters receive filters. Every node is
 * two-valued: it is true or false for a row, never unknown, so that `not` is plain negation in every store.
 */

/** The type of a field. `tag` is a value of `tags.<name>`: string, boolean, number or null, depending on the value it is compared with. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'tag';

/** A single-valued field of a row: its path in the row's document, e.g. `['name']` or `['primary', 'updb', 'allowed']`. */
export interface FieldRef {
  readonly path: readonly [string, ...string[]];
  readonly type: FieldType;
}

/** Dates are text in ISO 8601, UTC, with exactly three decimals, so that their order as text is chronological. */
export type Scalar = string | number | boolean;

/** The relations of a field to a value. */
export type Ordering = '=' | '<' | '<=' | '>' | '>=';

/**
 * | node | true when |
 * | --- | --- |
 * | `all`, `none` | always, never |
 * | `compare` | the field is not null and `is` holds between it and the value. A string is compared with the text of a `number` or `tag`
 * field; text is compared by Unicode code point |
 * | `in` | the field equals one of the values (by the rule of `compare`) |
 * | `contains` | the field's text (a number's decimal text) contains the value; `fold`: both upper-cased first |
 * | `isNull` | the field is null or missing |
 * | `overlaps`, `covers`, `coveredBy` | the set contains one of the values; it contains all values; the values contain all its elements.
 * The empty set covers no non-empty list, is covered by every list, and overlaps none |
 * | `some` | an element satisfies `where`, in which `ELEMENT` stands for the element |
 * | `size` | `is` holds between the number of elements and `value`; with `of`, only ids of rows of kind `of.kind` that satisfy `of.where`
 * count |
 */
export type Predicate =
  | { readonly op: 'all' }
  | { readonly op: 'none' }
  | { readonly op: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly op: 'not'; readonly term: Predicate }
  | { readonly op: 'compare'; readonly field: FieldRef; readonly is: Ordering; readonly value: Scalar }
  | { readonly op: 'in'; readonly field: FieldRef; readonly values: readonly Scalar[] }
  | { readonly op: 'contains'; readonly field: FieldRef; readonly value: string; readonly fold: boolean }
  | { readonly op: 'isNull'; readonly field: FieldRef }
  | { readonly op: 'overlaps' | 'covers' | 'coveredBy'; readonly set: string; readonly values: readonly string[] }
  | { readonly op: 'some'; readonly set: string; readonly where: Predicate }
  | {
      readonly op: 'size';
      readonly set: string;
      readonly is: Ordering;
      readonly value: number;
      readonly of?: { readonly kind: string; readonly where: Predicate };
    };

/** The element of a set, inside the `where` of a `some`. */
export const ELEMENT: FieldRef = { path: ['*'], type: 'string' };

/** A field that rows are ordered by. */
export interface SortKey {
  readonly field: FieldRef;
  readonly descending: boolean;
}

/** True for every row. */
export const ALL: Predicate = { op: 'all' };
/** True for no row. */
export const NONE: Predicate = { op: 'none' };

/** A text field at the top of a row. */
export const stringField = (name: string): FieldRef => ({ path: [name], type: 'string' });
export const dateField = (name: string): FieldRef => ({ path: [name], type: 'date' });
export const booleanField = (name: string): FieldRef => ({ path: [name], type: 'boolean' });

/** The field holds this value. */
export const equals = (field: FieldRef, value: Scalar): Predicate => ({ op: 'compare', field, is: '=', value });
/** The field holds one of these values; without values, true for no row. */
export const oneOf = (field: FieldRef, values: readonly Scalar[]): Predicate => (values.length === 0 ? NONE : { op: 'in', field, values });
/** The rows whose id is greater, for the next page in the order of ids; all rows if `id` is undefined. */
export const idAfter = (id: string | undefined): Predicate => (id ? { op: 'compare', field: stringField('id'), is: '>', value: id } : ALL);
/** The set holds this value. */
export const has = (set: string, value: string): Predicate => ({ op: 'covers', set, values: [value] });
/** Negation, without double negation. */
export const not = (term: Predicate): Predicate => {
  if (term.op === 'all') return NONE;
  if (term.op === 'none') return ALL;
  return term.op === 'not' ? term.term : { op: 'not', term };
};

/** All of the terms. `and` and `or` drop terms without effect, so that adapters never receive empty or single-term nodes. */
export const and = (...terms: readonly Predicate[]): Predicate => join('and', terms, 'all', 'none');
/** At least one of the terms. */
export const or = (...terms: readonly Predicate[]): Predicate => join('or', terms, 'none', 'all');

const join = (op: 'and' | 'or', terms: readonly Predicate[], neutral: 'all' | 'none', decisive: 'all' | 'none'): Predicate => {
  const relevant = terms.filter((term) => term.op !== neutral);
  if (relevant.some((term) => term.op === decisive)) return { op: decisive };
  const [first, ...rest] = relevant;
  if (first === undefined) return { op: neutral };
  return rest.length === 0 ? first : { op, terms: relevant };
};
