import { type BitSet, clearBit, emptyBitSet, nextBit, setBit } from './bit-set.ts';
import { Posting } from './posting.ts';
import { ValueIndex } from './value-index.ts';

/** Approximate bytes per row: its entry, and the reference to its text. */
const ROW_BYTES = 32;
/** Maximum length of a text whose bigrams are indexed, in UTF-16 units. Longer ones would take too much memory: a search tests them all. */
const MAX_INDEXED_LENGTH = 256;

/** A bigram index of the upper-cased texts of a field, for substring search: only rows with all bigrams of the sought text are tested. */
export class TextIndex {
  /** The text of each row, by row number. */
  readonly #texts: (string | undefined)[] = [];
  readonly #bigrams = new ValueIndex();
  /** Rows whose bigrams are not indexed. */
  readonly #long = new Posting();
  #textBytes = 0;

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#textBytes + this.#bigrams.bytes + this.#long.bytes;
  }

  /**
   * @param value removes the row from the index if it is not a string.
   * @param width greater than the number of any row
   */
  put(row: number, value: unknown, width: number): void {
    const before = this.#texts[row];
    const after = typeof value === 'string' ? value : undefined;
    if (before === after) return;
    this.#texts[row] = after;
    this.#textBytes += textBytes(after) - textBytes(before);
    this.#bigrams.move(row, indexedBigrams(before), indexedBigrams(after), width);
    if (isLong(after)) this.#long.add(row, width);
    else this.#long.remove(row);
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
    for (let row = nextBit(bits, 0); row !== -1; row = nextBit(bits, row + 1)) if (!contains(this.#texts[row] ?? '')) clearBit(bits, row);
    return bits;
  }

  /**
   * The candidates for both kinds of search: upper-casing maps each character independently, so if a text contains a value, its upper-cased
   * form contains the upper-cased value.
   */
  #candidates(folded: string, width: number): BitSet {
    const bits = emptyBitSet(width);
    if (folded.length < 2) {
      for (const [row, text] of this.#texts.entries()) if (text !== undefined) setBit(bits, row);
      return bits;
    }
    const postings = [...bigramsOf(folded)].map((bigram) => this.#bigrams.get(bigram));
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

const NO_BIGRAMS: ReadonlySet<string> = new Set();
const indexedBigrams = (text: string | undefined): ReadonlySet<string> =>
  text === undefined || isLong(text) ? NO_BIGRAMS : bigramsOf(text.toUpperCase());

/** The distinct pairs of adjacent UTF-16 units. */
const bigramsOf = (text: string): ReadonlySet<string> => {
  const bigrams = new Set<string>();
  for (let i = 0; i + 1 < text.length; i++) bigrams.add(text.slice(i, i + 2));
  return bigrams;
};
