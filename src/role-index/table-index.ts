import type { Predicate, Scalar } from '../query/index.ts';
import { type BitSet, countBits, emptyBitSet, intersectBits, setBit, subtractBits, uniteBits } from './bit-set.ts';
import { Numbering } from './numbering.ts';
import { Posting } from './posting.ts';
import type { IndexedFields } from './question.ts';

/** The fields of a row that an index asks for, and its id. */
export interface IndexedRow {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Rows that satisfy a question. */
export interface Members {
  readonly count: number;
  /** Their ids, in order. */
  page(offset: number, limit: number): readonly string[];
}

/** Of an entry in a map, with its key apart. Bytes, about */
const ENTRY_BYTES = 64;

/** The rows of a table by what they hold: a class, because it is state that many small writes change. */
export class TableIndex {
  readonly #fields: IndexedFields;
  readonly #numbering = new Numbering();
  /** The rows that there are. */
  readonly #rows = new Posting();
  /** By field, from value to the rows that hold it. */
  readonly #postings: ReadonlyMap<string, Map<Scalar, Posting>>;
  #postingBytes = 0;
  /** Answers are true until the next write. */
  #answers = new WeakMap<Predicate, Members>();

  constructor(fields: IndexedFields) {
    this.#fields = fields;
    this.#postings = new Map([...fields.sets, ...fields.values.keys()].map((field) => [field, new Map()]));
  }

  get size(): number {
    return this.#rows.size;
  }

  /** In memory, about. */
  get bytes(): number {
    return this.#numbering.bytes + this.#rows.bytes + this.#postingBytes;
  }

  /** Whether it has changed so much that it should be made anew. */
  get isWorn(): boolean {
    return this.#numbering.isWorn || this.#rows.size * 2 < this.#numbering.width - MOST_GONE;
  }

  /**
   * Takes over a write.
   * @param before the row as the index has it; undefined if it has none
   * @param after undefined if the row is gone
   */
  put(before: IndexedRow | undefined, after: IndexedRow | undefined): void {
    const id = (after ?? before)?.id;
    if (id === undefined) return;
    this.#answers = new WeakMap();
    const number = this.#numbering.assign(id);
    if (after) this.#rows.add(number, this.#numbering.width);
    else this.#rows.remove(number);
    for (const field of this.#fields.sets) this.#move(field, elementsIn(before, field), elementsIn(after, field), number);
    for (const [field, values] of this.#fields.values) {
      // A field that is hidden in the images of a change is not changed by it.
      if (after && before && after[field] === before[field]) continue;
      const isHeld = (value: Scalar) => after?.[field] === value;
      this.#move(field, after && !before ? [] : values, values.filter(isHeld), number);
    }
  }

  /** @param indexed the part of a question that `questionOf` says an index answers */
  find(indexed: Predicate): Members {
    let members = this.#answers.get(indexed);
    if (!members) {
      const bits = this.#evaluate(indexed);
      const count = countBits(bits);
      members = { count, page: (offset, limit) => (offset < count ? this.#numbering.page(bits, offset, limit) : []) };
      this.#answers.set(indexed, members);
    }
    return members;
  }

  #evaluate(where: Predicate): BitSet {
    switch (where.op) {
      case 'none':
        return this.#none();
      case 'and':
        return this.#common(where.terms);
      case 'or':
        return this.#united(where.terms);
      case 'not':
        return this.#allBut(this.#evaluate(where.term));
      case 'overlaps':
        return this.#unionOf(where.values.map((value) => this.#posting(where.set, value)));
      case 'covers':
        return this.#intersectionOf([...new Set(where.values)].map((value) => this.#posting(where.set, value)));
      case 'coveredBy':
        return this.#coveredBy(where.set, new Set(where.values));
      case 'in':
        return this.#named(where.values.map(String));
      case 'compare':
        return this.#unionOf([this.#posting(where.field.path[0], where.value)]);
      case 'all':
        return this.#all();
      default:
        throw new TypeError(`a role index cannot answer '${where.op}'`);
    }
  }

  #common([first, ...rest]: readonly Predicate[]): BitSet {
    const bits = first ? this.#evaluate(first) : this.#all();
    for (const term of rest) intersectBits(bits, this.#evaluate(term));
    return bits;
  }

  #united(terms: readonly Predicate[]): BitSet {
    const bits = this.#none();
    for (const term of terms) {
      const pair = this.#pairOf(term);
      if (pair) pair[0].uniteCommonInto(bits, pair[1]);
      else uniteBits(bits, this.#evaluate(term));
    }
    return bits;
  }

  /** Of a term that asks for two values, as most AllOf policies do: they need no set in between. */
  #pairOf(term: Predicate): readonly [Posting, Posting] | undefined {
    if (term.op !== 'covers' || term.values.length !== 2) return undefined;
    const [a, b] = term.values.map((value) => this.#posting(term.set, value));
    return a && b && [a, b];
  }

  #unionOf(postings: readonly (Posting | undefined)[]): BitSet {
    const bits = this.#none();
    for (const posting of postings) posting?.uniteInto(bits);
    return bits;
  }

  #intersectionOf(postings: readonly (Posting | undefined)[]): BitSet {
    if (postings.length === 0) return this.#all();
    if (postings.includes(undefined)) return this.#none();
    const [first, ...rest] = postings;
    const bits = this.#unionOf([first]);
    for (const posting of rest) posting?.intersectInto(bits);
    return bits;
  }

  #coveredBy(set: string, values: ReadonlySet<Scalar>): BitSet {
    const bits = this.#all();
    for (const [value, posting] of this.#postings.get(set) ?? []) if (!values.has(value)) posting.subtractFrom(bits);
    return bits;
  }

  #named(ids: readonly string[]): BitSet {
    const bits = this.#none();
    for (const id of ids) {
      const number = this.#numbering.numberOf(id);
      if (number !== undefined) setBit(bits, number);
    }
    intersectBits(bits, this.#all());
    return bits;
  }

  #allBut(bits: BitSet): BitSet {
    const others = this.#all();
    subtractBits(others, bits);
    return others;
  }

  #all(): BitSet {
    return this.#unionOf([this.#rows]);
  }

  #none(): BitSet {
    return emptyBitSet(this.#numbering.width);
  }

  #posting(field: string, value: Scalar): Posting | undefined {
    return this.#postings.get(field)?.get(value);
  }

  /** Moves a row from the values that it held to those that it holds. */
  #move(field: string, before: readonly Scalar[], after: readonly Scalar[], number: number): void {
    const postings = this.#postings.get(field) as Map<Scalar, Posting>; // made for each field
    for (const value of before) {
      const posting = after.includes(value) ? undefined : postings.get(value);
      if (!posting) continue;
      posting.remove(number);
      if (posting.size > 0) continue;
      postings.delete(value);
      this.#postingBytes -= posting.bytes + keyBytes(value);
    }
    for (const value of after) {
      let posting = postings.get(value);
      if (!posting) {
        postings.set(value, (posting = new Posting()));
        this.#postingBytes += posting.bytes + keyBytes(value);
      }
      const bytes = posting.bytes;
      posting.add(number, this.#numbering.width);
      this.#postingBytes += posting.bytes - bytes;
    }
  }
}

/** Numbers of rows that are gone, which a table may always have. */
const MOST_GONE = 1024;

const keyBytes = (value: Scalar): number => ENTRY_BYTES + (typeof value === 'string' ? value.length : 0);

/** The elements of a set; none in a row that an earlier release wrote without it. */
const elementsIn = (row: IndexedRow | undefined, set: string): readonly string[] => {
  const value = row?.[set];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
};
