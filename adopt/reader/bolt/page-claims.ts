import { FormerDatabaseError } from '../former-error.ts';

const CHUNK = 32_768;

/**
 * The pages that were seen in one pass over a file. A page belongs to one place of one tree: a second claim reveals cycles, and pages that
 * several trees share, so that no forged file makes a pass longer than the file.
 */
export class PageClaims {
  readonly #chunks = new Map<number, Uint8Array>();

  /** Claims a page and its overflow. */
  claim(id: number, pages: number): void {
    for (let page = id; page < id + pages; page++) {
      const chunk = this.#chunk(Math.floor(page / CHUNK));
      const [byte, bit] = [(page % CHUNK) >> 3, 1 << (page & 7)];
      if ((chunk[byte] ?? 0) & bit) throw new FormerDatabaseError('DAMAGED', 'it is referenced twice', page);
      chunk[byte] = (chunk[byte] ?? 0) | bit;
    }
  }

  #chunk(number: number): Uint8Array {
    const known = this.#chunks.get(number);
    if (known) return known;
    const chunk = new Uint8Array(CHUNK / 8);
    this.#chunks.set(number, chunk);
    return chunk;
  }
}
