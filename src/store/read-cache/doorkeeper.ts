/** Bits per key of a generation. Fewer bits would cause more false positives. */
const BITS_PER_KEY = 8;

/**
 * Distinguishes keys that recur soon from those that occur only once, so that the latter do not displace frequently requested keys (the
 * doorkeeper of TinyLFU; G. Einziger et al., 2017). It keeps two generations of bits, and clears the older one when the newer one is full.
 */
export class Doorkeeper {
  readonly #generation: number;
  readonly #mask: number;
  #newer: Uint8Array;
  #older: Uint8Array;
  #count = 0;

  /** @param generation number of keys recorded before the older generation is cleared */
  constructor(generation: number) {
    this.#generation = Math.max(1, generation);
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(8, (generation * BITS_PER_KEY) / 8)));
    this.#mask = bytes * 8 - 1;
    this.#newer = new Uint8Array(bytes);
    this.#older = new Uint8Array(bytes);
  }

  /**
   * Records a key.
   * @returns true if it was already recorded recently; false positives are rare
   */
  admit(key: string): boolean {
    const bit = hashOf(key) & this.#mask;
    const [at, mask] = [bit >>> 3, 1 << (bit & 7)];
    if ((this.#newer[at] ?? 0) & mask) return true;
    const isRecent = ((this.#older[at] ?? 0) & mask) !== 0;
    this.#newer[at] = (this.#newer[at] ?? 0) | mask;
    if (++this.#count >= this.#generation) {
      this.#count = 0;
      [this.#newer, this.#older] = [this.#older, this.#newer];
      this.#newer.fill(0);
    }
    return isRecent;
  }
}

/** FNV-1a, 32 bits. */
const hashOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  // Mixes the high bits into the low ones: only these are used.
  return (hash ^ (hash >>> 15)) >>> 0;
};
