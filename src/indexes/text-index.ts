import { type BitSet, clearBit, emptyBitSet, nextBit, setBit } from './bit-set.ts';
import { Posting } from './posting.ts';
import { ValueIndex } from './value-index.ts';

/** Approximate bytes of a row: its entry, and a reference to its text. */
const ROW_BYTES = 32;
/** A longer text is tested by itself: each of its pairs would take memory. UTF-16 units */
const LONG = 256;

/**
 * The texts of one field, by the pairs of letters that they contain, upper-cased: rows that hold all pairs of a text may contain it, and only these are
 * tested.
 */
export class TextIndex {
  /** By number. */
  readonly #texts: (string | undefined)[] = [];
  readonly #pairs = new ValueIndex();
  /** Rows whose pairs are not indexed. */
  readonly #long = new Posting();
  #textBytes = 0;

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#textBytes + this.#pairs.bytes + this.#long.bytes;
  }

  /** @param value not a text if the row has none. @param width more than the greatest number of any row */
  put(number: number, value: unknown, width: number): void {
    const [before, after] = [this.#texts[number], typeof value === 'string' ? value : undefined];
    if (before === after) return;
    this.#texts[number] = after;
    this.#textBytes += textBytes(after) - textBytes(before);
    this.#pairs.move(number, indexedPairs(before), indexedPairs(after), width);
    if (isLong(after)) this.#long.add(number, width);
    else this.#long.remove(number);
  }

  /**
   * The rows whose text contains a value, which has no half of a surrogate pair.
   * @param fold both are upper-cased first
   */
  containing(value: string, fold: boolean, width: number): BitSet {
    const folded = value.toUpperCase();
    const contains = (text: string) => (fold ? text.toUpperCase().includes(folded) : text.includes(value));
    const bits = this.#candidates(folded, width);
    for (let number = nextBit(bits, 0); number !== -1; number = nextBit(bits, number + 1))
      if (!contains(this.#texts[number] ?? '')) clearBit(bits, number);
    return bits;
  }

  /** Upper-casing takes letters one by one: whatever contains a text, does so in upper case. */
  #candidates(folded: string, width: number): BitSet {
    const bits = emptyBitSet(width);
    if (folded.length < 2) {
      this.#texts.forEach((text, number) => void (text !== undefined && setBit(bits, number)));
      return bits;
    }
    const postings = [...pairsIn(folded)].map((pair) => this.#pairs.get(pair));
    if (!postings.includes(undefined)) {
      const [rarest, ...others] = postings.toSorted((a, b) => sizeOf(a) - sizeOf(b));
      rarest?.uniteInto(bits);
      for (const posting of others) posting?.intersectInto(bits);
    }
    this.#long.uniteInto(bits);
    return bits;
  }
}

const sizeOf = (posting: Posting | undefined): number => posting?.size ?? 0;
const textBytes = (text: string | undefined): number => (text === undefined ? 0 : ROW_BYTES + text.length);
const isLong = (text: string | undefined): boolean => text !== undefined && text.length > LONG;

const NO_PAIRS: ReadonlySet<string> = new Set();
const indexedPairs = (text: string | undefined): ReadonlySet<string> =>
  text === undefined || isLong(text) ? NO_PAIRS : pairsIn(text.toUpperCase());

/** Each pair of neighbouring UTF-16 units, once. */
const pairsIn = (text: string): ReadonlySet<string> => {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
};
