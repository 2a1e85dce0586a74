/** Bits for each key of a generation: fewer would take more keys for others. */
const BITS_PER_KEY = 8;

/**
 * Tells keys that come again soon from those that come once, so that what is asked for once takes no room from what is asked for often (the doorkeeper of
 * TinyLFU; G. Einziger et al., 2017). Two generations of bits: the older one is forgotten when the newer one is full.
 */
export class Doorkeeper {
  readonly #generation: number;
  readonly #mask: number;
  #newer: Uint8Array;
  #older: Uint8Array;
  #noted = 0;

  /** @param generation keys that are recorded before the older ones are forgotten */
  constructor(generation: number) {
    this.#generation = Math.max(1, generation);
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(8, (generation * BITS_PER_KEY) / 8)));
    this.#mask = bytes * 8 - 1;
    this.#newer = new Uint8Array(bytes);
    this.#older = new Uint8Array(bytes);
  }

  /** Records a key. @returns whether it was recorded recently; false positives are rare */
  admit(key: string): boolean {
    const bit = hashOf(key) & this.#mask;
    const [at, mask] = [bit >>> 3, 1 << (bit & 7)];
    if ((this.#newer[at] ?? 0) & mask) return true;
    const isKnown = ((this.#older[at] ?? 0) & mask) !== 0;
    this.#newer[at] = (this.#newer[at] ?? 0) | mask;
    if (++this.#noted >= this.#generation) {
      this.#noted = 0;
      [this.#newer, this.#older] = [this.#older, this.#newer];
      this.#newer.fill(0);
    }
    return isKnown;
  }
}

/** FNV-1a, 32 bits. */
const hashOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  // Its low bits alone are taken.
  return (hash ^ (hash >>> 15)) >>> 0;
};
