/** A page of a bbolt file: a branch, which points to pages below it, or a leaf, which holds keys and values. */
import { FormerDatabaseError } from '../former-error.ts';

/** An element of a leaf. Key and value are parts of the page's memory: copy what is kept. */
export interface LeafElement {
  /** The number of the page. */
  readonly page: number;
  readonly key: Buffer;
  readonly value: Buffer;
  /** True if the value describes a bucket. */
  readonly isBucket: boolean;
}

/** An element of a branch: the page that has its key, and those after it. */
export interface BranchElement {
  readonly key: Buffer;
  readonly child: number;
}

/** A branch or a leaf, with the pages that follow it as its overflow. */
export interface Page {
  /** The number of the page; of an inline bucket, the number of the page that it is in. */
  readonly id: number;
  readonly isLeaf: boolean;
  readonly count: number;
  readonly bytes: Buffer;
}

export const HEADER_BYTES = 16;
const ELEMENT_BYTES = 16;
const BRANCH = 1;
const LEAF = 2;

const damaged = (message: string, id: number): FormerDatabaseError => new FormerDatabaseError('DAMAGED', message, id);

/** The number of pages that follow the first one, of which `header` is the beginning. */
export const overflowOf = (header: Buffer): number => header.readUInt32LE(12);

/** @param bytes the page with its overflow */
export const pageOf = (bytes: Buffer, id: number): Page => {
  const own = bytes.readBigUInt64LE(0);
  if (own !== BigInt(id)) throw damaged(`it says that it is page ${own}`, id);
  return bodyOf(bytes, id);
};

/** The page in the value of an inline bucket. Its own number has no meaning. */
export const inlinePageOf = (bytes: Buffer, id: number): Page => {
  if (bytes.length < HEADER_BYTES) throw damaged('an inline bucket is shorter than the header of a page', id);
  const page = bodyOf(bytes, id);
  if (!page.isLeaf) throw damaged('an inline bucket has a branch', id);
  return page;
};

const bodyOf = (bytes: Buffer, id: number): Page => {
  const flags = bytes.readUInt16LE(8);
  if (flags !== BRANCH && flags !== LEAF) throw damaged(`its flags are ${flags}, neither those of a branch nor of a leaf`, id);
  const count = bytes.readUInt16LE(10);
  if (HEADER_BYTES + count * ELEMENT_BYTES > bytes.length) throw damaged(`it has ${count} elements, for which it is too short`, id);
  if (flags === BRANCH && count === 0) throw damaged('it is a branch to nowhere', id);
  return { id, isLeaf: flags === LEAF, count, bytes };
};

export const leafElement = ({ bytes, id }: Page, index: number): LeafElement => {
  const at = HEADER_BYTES + index * ELEMENT_BYTES;
  const flags = bytes.readUInt32LE(at);
  const start = at + bytes.readUInt32LE(at + 4);
  const middle = start + bytes.readUInt32LE(at + 8);
  const end = middle + bytes.readUInt32LE(at + 12);
  if (flags > 1 || end > bytes.length) throw damaged(`its element ${index} is not inside it`, id);
  return { page: id, key: bytes.subarray(start, middle), value: bytes.subarray(middle, end), isBucket: flags === 1 };
};

/**
 * All elements of a leaf. What one holds begins behind what those before it hold, as bbolt writes it: with bytes in several elements, a
 * small file could stand for any amount of data.
 */
export function* leafElements(page: Page): Generator<LeafElement, void, undefined> {
  let free = HEADER_BYTES + page.count * ELEMENT_BYTES;
  for (let i = 0; i < page.count; i++) {
    const element = leafElement(page, i);
    const start = element.key.byteOffset - page.bytes.byteOffset;
    if (start < free) throw damaged(`its element ${i} overlaps what is before it`, page.id);
    free = start + element.key.length + element.value.length;
    yield element;
  }
}

export const branchElement = ({ bytes, id }: Page, index: number): BranchElement => {
  const at = HEADER_BYTES + index * ELEMENT_BYTES;
  const start = at + bytes.readUInt32LE(at);
  const end = start + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) throw damaged(`its element ${index} is not inside it`, id);
  return { key: bytes.subarray(start, end), child: Number(bytes.readBigUInt64LE(at + 8)) };
};
