import { FormerDatabaseError } from '../former-error.ts';
import type { BoltFile } from './file.ts';
import { branchElement, HEADER_BYTES, inlinePageOf, type LeafElement, leafElement, leafElements, type Page } from './page.ts';
import type { PageClaims } from './page-claims.ts';

/** Branches below each other. A tree of 2^40 leaves has fewer. */
const MAX_DEPTH = 64;

/** A bucket: a tree of pages with keys in the order of their bytes. Small ones are in the value that describes them. */
export class Bucket {
  readonly #file: BoltFile;
  readonly #root: Page | number;

  private constructor(file: BoltFile, root: Page | number) {
    this.#file = file;
    this.#root = root;
  }

  static root(file: BoltFile): Bucket {
    return new Bucket(file, file.meta.root);
  }

  /** The bucket that an element describes. */
  static in(file: BoltFile, { value, page }: LeafElement): Bucket {
    if (value.length < HEADER_BYTES) throw new FormerDatabaseError('DAMAGED', 'the header of a bucket is too short', page);
    const root = Number(value.readBigUInt64LE(0));
    return new Bucket(file, root === 0 ? inlinePageOf(value.subarray(HEADER_BYTES), page) : root);
  }

  /** All elements, by ascending keys. */
  *elements(claims: PageClaims): Generator<LeafElement, void, undefined> {
    let before: Buffer | undefined;
    for (const leaf of this.#leaves(this.#root, claims, 0))
      for (const element of leafElements(leaf)) {
        if (before && Buffer.compare(before, element.key) >= 0)
          throw new FormerDatabaseError('DAMAGED', 'its keys are not in order', element.page);
        before = element.key;
        yield element;
      }
  }

  *#leaves(root: Page | number, claims: PageClaims, depth: number): Generator<Page, void, undefined> {
    const page = this.#page(root, depth, (id) => this.#file.page(id));
    if (typeof root === 'number') claims.claim(page.id, this.#file.pagesOf(page));
    if (page.isLeaf) yield page;
    else for (let i = 0; i < page.count; i++) yield* this.#leaves(branchElement(page, i).child, claims, depth + 1);
  }

  #page(root: Page | number, depth: number, pageAt = (id: number) => this.#file.cachedPage(id)): Page {
    if (typeof root !== 'number') return root;
    if (depth > MAX_DEPTH) throw new FormerDatabaseError('DAMAGED', `more than ${MAX_DEPTH} branches are above it`, root);
    return pageAt(root);
  }

  /** The element with a key. */
  get(key: Buffer): LeafElement | undefined {
    let page = this.#page(this.#root, 0);
    for (let depth = 1; !page.isLeaf; depth++) {
      const branch = page;
      const index = lastNotAfter(branch.count, (i) => branchElement(branch, i).key, key);
      // A key before the first one would be in the first child.
      page = this.#page(branchElement(branch, Math.max(0, index)).child, depth);
    }
    const leaf = page;
    const index = lastNotAfter(leaf.count, (i) => leafElement(leaf, i).key, key);
    const element = index < 0 ? undefined : leafElement(leaf, index);
    return element?.key.equals(key) ? element : undefined;
  }

  /** The bucket with a name in this one. */
  bucket(name: string): Bucket | undefined {
    const element = this.get(Buffer.from(name));
    return element?.isBucket ? Bucket.in(this.#file, element) : undefined;
  }
}

/** By bisection: the last index whose key is not after `key`; -1 if there is none. */
const lastNotAfter = (count: number, keyAt: (index: number) => Buffer, key: Buffer): number => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(keyAt(middle), key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
