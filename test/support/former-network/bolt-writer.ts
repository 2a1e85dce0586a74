/** Writes files of the format of bbolt, page by page, for tests of their reader. It shares nothing with the reader. */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** An element of a bucket: a value, or a bucket in it. */
export type BoltElement = { readonly key: Buffer; readonly value: Buffer } | { readonly key: Buffer; readonly bucket: BoltTree };

/** The elements of a bucket, by ascending keys. */
export type BoltTree = Iterable<BoltElement>;

export interface BoltFileOptions {
  /** Default: 4096. */
  readonly pageSize?: number | undefined;
  /** The most elements of a branch; few make a deep tree. Default: what fits on a page. */
  readonly fan?: number | undefined;
  /** The most elements of a leaf. Default: what fits on a page. */
  readonly perLeaf?: number | undefined;
  /** Whether small buckets are in the value that describes them. Default: true. */
  readonly inline?: boolean | undefined;
  /** Leaves a page of rubbish, which is free, after every so many pages. Default: none. */
  readonly freeEvery?: number | undefined;
  /** Default: 8. */
  readonly txid?: bigint | undefined;
}

const HEADER = 16;
const ELEMENT = 16;
const [BRANCH, LEAF, META, FREELIST] = [1, 2, 4, 16];

/** Keys in the order of their bytes. */
export const ordered = (elements: readonly BoltElement[]): BoltElement[] => elements.toSorted((a, b) => Buffer.compare(a.key, b.key));

/** Writes a file whose root bucket is `tree`. */
export const writeBoltFile = (path: string, tree: BoltTree, options: BoltFileOptions = {}): void => {
  const fd = openSync(path, 'w', 0o600);
  try {
    const writer = new BoltWriter(fd, options);
    writer.finish(writer.bucket(tree));
  } finally {
    closeSync(fd);
  }
};

/**
 * Commits a transaction to a file: its pages are written from `firstPage`, over pages that were free or those of the transaction before the
 * last, and then one meta page.
 */
export const commitToBoltFile = (path: string, tree: BoltTree, options: BoltFileOptions & { readonly firstPage: number }): void => {
  const fd = openSync(path, 'r+');
  try {
    const writer = new BoltWriter(fd, options, options.firstPage);
    writer.commit(writer.bucket(tree));
  } finally {
    closeSync(fd);
  }
};

interface Child {
  readonly key: Buffer;
  readonly id: number;
}

interface LeafPart {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
}

class BoltWriter {
  readonly #fd: number;
  readonly #pageSize: number;
  readonly #options: BoltFileOptions;
  #next: number;

  constructor(fd: number, options: BoltFileOptions, firstPage = 2) {
    this.#fd = fd;
    this.#next = firstPage;
    this.#options = options;
    this.#pageSize = options.pageSize ?? 4096;
  }

  /** Writes a bucket; its root page. */
  bucket(tree: BoltTree): number {
    return this.#root(this.#leaves(this.#parts(tree)));
  }

  finish(root: number): void {
    this.#meta(this.#txid - 1n, root, 2);
    this.commit(root);
    ftruncateSync(this.#fd, this.#next * this.#pageSize);
  }

  commit(root: number): void {
    const freelist = this.#page(FREELIST, 0, Buffer.alloc(0));
    this.#meta(this.#txid, root, freelist);
  }

  get #txid(): bigint {
    return this.#options.txid ?? 8n;
  }

  *#parts(tree: BoltTree): Generator<LeafPart> {
    for (const element of tree)
      if ('value' in element) yield { key: element.key, value: element.value, flags: 0 };
      else yield { key: element.key, value: this.#inner(element.bucket), flags: 1 };
  }

  /** What describes a bucket: its root page and its sequence, and its only page if it is small. */
  #inner(tree: BoltTree): Buffer {
    const { inline = true } = this.#options;
    const value = Buffer.alloc(16);
    if (!inline) {
      value.writeBigUInt64LE(BigInt(this.bucket(tree)), 0);
      return value;
    }
    const parts: LeafPart[] = [];
    let bytes = HEADER;
    const rest = this.#parts(tree);
    for (const part of rest) {
      parts.push(part);
      bytes += sizeOf(part);
      if (bytes > this.#pageSize / 4 || part.flags) {
        value.writeBigUInt64LE(BigInt(this.#root(this.#leaves(chained(parts, rest)))), 0);
        return value;
      }
    }
    const page = Buffer.alloc(HEADER);
    page.writeUInt16LE(LEAF ?? 0, 8);
    page.writeUInt16LE(parts.length, 10);
    return Buffer.concat([value, page, leafBody(parts)]);
  }

  *#leaves(parts: Iterable<LeafPart>): Generator<Child> {
    const { perLeaf = 60_000 } = this.#options;
    let [page, bytes]: [LeafPart[], number] = [[], HEADER];
    for (const part of parts) {
      if (page.length > 0 && (bytes + sizeOf(part) > this.#pageSize || page.length >= perLeaf)) {
        yield this.#leaf(page);
        [page, bytes] = [[], HEADER];
      }
      page.push(part);
      bytes += sizeOf(part);
    }
    yield this.#leaf(page);
  }

  #leaf(parts: readonly LeafPart[]): Child {
    return { key: parts[0]?.key ?? Buffer.alloc(0), id: this.#page(LEAF, parts.length, leafBody(parts)) };
  }

  /** Branches upon branches until there is one. */
  #root(children: Iterable<Child>): number {
    let level = [...children];
    while (level.length > 1) level = [...this.#branches(level)];
    return level[0]?.id ?? 0;
  }

  *#branches(children: readonly Child[]): Generator<Child> {
    const { fan = 60_000 } = this.#options;
    let [page, bytes]: [Child[], number] = [[], HEADER];
    for (const child of children) {
      const size = ELEMENT + child.key.length;
      if (page.length > 1 && (bytes + size > this.#pageSize || page.length >= Math.max(2, fan))) {
        yield this.#branch(page);
        [page, bytes] = [[], HEADER];
      }
      page.push(child);
      bytes += size;
    }
    yield this.#branch(page);
  }

  #branch(children: readonly Child[]): Child {
    const heads = Buffer.alloc(children.length * ELEMENT);
    let at = heads.length;
    for (const [i, { key, id }] of children.entries()) {
      heads.writeUInt32LE(at - i * ELEMENT, i * ELEMENT);
      heads.writeUInt32LE(key.length, i * ELEMENT + 4);
      heads.writeBigUInt64LE(BigInt(id), i * ELEMENT + 8);
      at += key.length;
    }
    const body = Buffer.concat([heads, ...children.map(({ key }) => key)]);
    return { key: children[0]?.key ?? Buffer.alloc(0), id: this.#page(BRANCH, children.length, body) };
  }

  #page(flags = 0, count: number, body: Buffer): number {
    const { freeEvery = 0 } = this.#options;
    if (freeEvery > 0 && this.#next % freeEvery === 0) this.#write(this.#next++, Buffer.alloc(this.#pageSize, 0xa5));
    const id = this.#next;
    const pages = Math.ceil((HEADER + body.length) / this.#pageSize);
    const bytes = Buffer.alloc(pages * this.#pageSize);
    bytes.writeBigUInt64LE(BigInt(id), 0);
    bytes.writeUInt16LE(flags, 8);
    bytes.writeUInt16LE(count, 10);
    bytes.writeUInt32LE(pages - 1, 12);
    body.copy(bytes, HEADER);
    this.#write(id, bytes);
    this.#next += pages;
    return id;
  }

  #meta(txid: bigint, root: number, freelist: number): void {
    const bytes = Buffer.alloc(this.#pageSize);
    const id = Number(txid % 2n);
    bytes.writeBigUInt64LE(BigInt(id), 0);
    bytes.writeUInt16LE(META ?? 0, 8);
    bytes.writeUInt32LE(0xed0cdaed, 16);
    bytes.writeUInt32LE(2, 20);
    bytes.writeUInt32LE(this.#pageSize, 24);
    bytes.writeBigUInt64LE(BigInt(root), 32);
    bytes.writeBigUInt64LE(BigInt(freelist), 48);
    bytes.writeBigUInt64LE(BigInt(this.#next), 56);
    bytes.writeBigUInt64LE(txid, 64);
    bytes.writeBigUInt64LE(fnv(bytes.subarray(16, 72)), 72);
    this.#write(id, bytes);
  }

  #write(id: number, bytes: Buffer): void {
    writeSync(this.#fd, bytes, 0, bytes.length, id * this.#pageSize);
  }
}

const sizeOf = ({ key, value }: LeafPart): number => ELEMENT + key.length + value.length;

const leafBody = (parts: readonly LeafPart[]): Buffer => {
  const heads = Buffer.alloc(parts.length * ELEMENT);
  let at = heads.length;
  for (const [i, { key, value, flags }] of parts.entries()) {
    heads.writeUInt32LE(flags, i * ELEMENT);
    heads.writeUInt32LE(at - i * ELEMENT, i * ELEMENT + 4);
    heads.writeUInt32LE(key.length, i * ELEMENT + 8);
    heads.writeUInt32LE(value.length, i * ELEMENT + 12);
    at += key.length + value.length;
  }
  return Buffer.concat([heads, ...parts.flatMap(({ key, value }) => [key, value])]);
};

function* chained(first: Iterable<LeafPart>, rest: Iterable<LeafPart>): Generator<LeafPart> {
  yield* first;
  yield* rest;
}

/** FNV-1a of 64 bits, as the checksum of a meta page. */
export const fnv = (bytes: Uint8Array): bigint => {
  let hash = 14_695_981_039_346_656_037n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 1_099_511_628_211n) & 0xffff_ffff_ffff_ffffn;
  return hash;
};
