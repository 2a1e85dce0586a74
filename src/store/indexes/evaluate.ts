/** Evaluates a predicate on the index of a table. The result is the set of the numbers of the matching rows. */
import type { Predicate, Scalar } from '../../query/index.ts';
import { type BitSet, emptyBitSet, intersectBits, setBit, subtractBits, uniteBits } from './bit-set.ts';
import type { Numbering } from './numbering.ts';
import type { Posting } from './posting.ts';
import type { SetSizes } from './set-sizes.ts';
import type { SortOrder } from './sort-order.ts';
import type { TextIndex } from './text-index.ts';
import type { ValueIndex } from './value-index.ts';

/** The parts of the index of a table. */
export interface IndexParts {
  readonly numbering: Numbering;
  /** All existing rows. */
  readonly rows: Posting;
  /** Value indexes, by field. */
  readonly values: ReadonlyMap<string, ValueIndex>;
  /** Set sizes, by set field. */
  readonly sizes: ReadonlyMap<string, SetSizes>;
  readonly orders: ReadonlyMap<string, SortOrder>;
  readonly texts: ReadonlyMap<string, TextIndex>;
}

type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

/**
 * @param where a predicate for which `splitPredicate` found that the index can evaluate it
 * @throws TypeError for any other predicate
 */
export const bitsOf = (parts: IndexParts, where: Predicate): BitSet => {
  switch (where.op) {
    case 'none':
      return none(parts);
    case 'and':
      return allOf(parts, where.terms);
    case 'or':
      return anyOf(parts, where.terms);
    case 'not':
      return complementOf(parts, bitsOf(parts, where.term));
    case 'overlaps':
      return unionOf(
        parts,
        where.values.map((value) => posting(parts, where.set, value)),
      );
    case 'covers':
      return intersectionOf(
        parts,
        [...new Set(where.values)].map((value) => posting(parts, where.set, value)),
      );
    case 'coveredBy':
      return coveredBy(parts, where.set, new Set(where.values));
    case 'in':
      return withIds(parts, where.values.map(String));
    case 'compare':
      return where.is === '=' ? unionOf(parts, [posting(parts, where.field.path[0], where.value)]) : comparing(parts, where);
    case 'contains':
      return containing(parts, where);
    case 'all':
      return all(parts);
    default:
      throw new TypeError(`a role index cannot answer '${where.op}'`);
  }
};

const none = ({ numbering }: IndexParts): BitSet => emptyBitSet(numbering.width);
const all = (parts: IndexParts): BitSet => unionOf(parts, [parts.rows]);
const posting = ({ values }: IndexParts, field: string, value: Scalar): Posting | undefined => values.get(field)?.get(value);

const allOf = (parts: IndexParts, [first, ...rest]: readonly Predicate[]): BitSet => {
  const bits = first ? bitsOf(parts, first) : all(parts);
  for (const term of rest) intersectBits(bits, bitsOf(parts, term));
  return bits;
};

const anyOf = (parts: IndexParts, terms: readonly Predicate[]): BitSet => {
  const bits = none(parts);
  for (const term of terms) {
    const pair = pairOf(parts, term);
    if (pair) pair[0].uniteCommonInto(bits, pair[1]);
    else uniteBits(bits, bitsOf(parts, term));
  }
  return bits;
};

/** The postings of a term with two values, which most AllOf policies have. Their intersection needs no intermediate set. */
const pairOf = (parts: IndexParts, term: Predicate): readonly [Posting, Posting] | undefined => {
  if (term.op !== 'covers' || term.values.length !== 2) return undefined;
  const [a, b] = term.values.map((value) => posting(parts, term.set, value));
  return a && b && [a, b];
};

const unionOf = (parts: IndexParts, postings: readonly (Posting | undefined)[]): BitSet => {
  const bits = none(parts);
  for (const each of postings) each?.uniteInto(bits);
  return bits;
};

const intersectionOf = (parts: IndexParts, postings: readonly (Posting | undefined)[]): BitSet => {
  if (postings.length === 0) return all(parts);
  if (postings.includes(undefined)) return none(parts);
  const [first, ...rest] = postings;
  const bits = unionOf(parts, [first]);
  for (const each of rest) each?.intersectInto(bits);
  return bits;
};

/**
 * A row is covered if the number of given values that it contains equals its set size. So only the postings of the given values are read,
 * not all postings.
 */
const coveredBy = (parts: IndexParts, set: string, values: ReadonlySet<Scalar>): BitSet => {
  const bits = all(parts);
  const sizes = column(parts.sizes, set);
  sizes.nonEmpty.subtractFrom(bits);
  const counts = new Uint32Array(parts.numbering.width);
  for (const value of values)
    posting(parts, set, value)?.forEach((number) => {
      const count = (counts[number] ?? 0) + 1;
      counts[number] = count;
      if (count === sizes.of(number)) setBit(bits, number);
    });
  return bits;
};

const withIds = (parts: IndexParts, ids: readonly string[]): BitSet => {
  const bits = none(parts);
  for (const id of ids) {
    const number = parts.numbering.numberOf(id);
    if (number !== undefined) setBit(bits, number);
  }
  intersectBits(bits, all(parts));
  return bits;
};

const comparing = ({ orders, numbering }: IndexParts, where: Node<'compare'>): BitSet =>
  column(orders, where.field.path[0]).comparing(where, numbering.width);

/** The comparisons, evaluated by a sort order, that all matching rows satisfy. */
export const comparisonsIn = (indexed: Predicate): readonly Node<'compare'>[] => {
  const terms = indexed.op === 'and' ? indexed.terms : [indexed];
  return terms.flatMap((term) => (term.op === 'compare' && term.is !== '=' ? [term] : []));
};

const containing = ({ texts, numbering }: IndexParts, { field, value, fold }: Node<'contains'>): BitSet =>
  column(texts, field.path[0]).containing(value, fold, numbering.width);

const column = <Column>(columns: ReadonlyMap<string, Column>, field: string): Column => {
  const known = columns.get(field);
  if (!known) throw new TypeError(`a role index has no column ${field}`);
  return known;
};

const complementOf = (parts: IndexParts, bits: BitSet): BitSet => {
  const others = all(parts);
  subtractBits(others, bits);
  return others;
};
