import { type BitSet, clearBit, emptyBitSet, nextBit, setBit } from './bit-set.ts';
import { Posting } from './posting.ts';
import { ValueIndex } from './value-index.ts';

/** Approximate bytes per row, for its entry and a reference to its text. */
const ROW_BYTES = 32;
/** Maximum length of a text whose pairs are indexed, in UTF-16 units. Longer texts would take too much memory, so they are always tested. */
const MAX_INDEXED_LENGTH = 256;

/**
 * A bigram index of the upper-cased texts of one field, for substring search. Only rows that have all pairs of characters of the sought text can contain it,
 * so only these are tested.
 */
export class TextIndex {
  /** The text of each row, by row number. */
  readonly #texts: (string | undefined)[] = [];
  readonly #pairs = new ValueIndex();
  /** Rows whose pairs are not indexed. */
  readonly #long = new Posting();
  #textBytes = 0;

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#textBytes + this.#pairs.bytes + this.#long.bytes;
  }

  /** @param value anything but a string counts as no text. @param width greater than the number of any row */
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
   * The rows whose text contains a value.
   * @param value must not contain an unpaired surrogate
   * @param fold true to ignore case: both are upper-cased first
   */
  containing(value: string, fold: boolean, width: number): BitSet {
    const folded = value.toUpperCase();
    const contains = (text: string) => (fold ? text.toUpperCase().includes(folded) : text.includes(value));
    const bits = this.#candidates(folded, width);
    for (let number = nextBit(bits, 0); number !== -1; number = nextBit(bits, number + 1))
      if (!contains(this.#texts[number] ?? '')) clearBit(bits, number);
    return bits;
  }

  /** Finds candidates for both kinds of search: upper-casing maps each character by itself, so if one text contains another, the same holds for their upper-cased forms. */
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
const isLong = (text: string | undefined): boolean => text !== undefined && text.length > MAX_INDEXED_LENGTH;

const NO_PAIRS: ReadonlySet<string> = new Set();
const indexedPairs = (text: string | undefined): ReadonlySet<string> =>
  text === undefined || isLong(text) ? NO_PAIRS : pairsIn(text.toUpperCase());

/** The distinct pairs of adjacent UTF-16 units. */
const pairsIn = (text: string): ReadonlySet<string> => {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
};
