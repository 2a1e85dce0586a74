import { fstatSync, readSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { FormerDatabaseError } from '../former-error.ts';
import { HEADER_BYTES, overflowOf, type Page, pageOf } from './page.ts';

/** The largest page with its overflow. The values of a network are far smaller. */
const MAX_SPAN_BYTES = 32 * 2 ** 20;

/** Memory for pages that may be asked for again, such as branches: each fits in, so that no file makes every question read a large one. */
const CACHE_BYTES = MAX_SPAN_BYTES;

/** A bbolt file that is open for reading: its pages, read one by one. The caller opens and closes the file. */
export class BoltFile {
  readonly meta: Meta;
  readonly #fd: number;
  readonly #pages = new LRUCache<number, Page>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });

  /** @throws FormerDatabaseError `NOT_A_DATABASE` if neither meta page is valid, `DAMAGED` if the file is cut */
  constructor(fd: number) {
    this.#fd = fd;
    this.meta = newestMeta(fd);
    const { high, pageSize } = this.meta;
    const { size } = fstatSync(fd);
    if (high * pageSize > size)
      throw new FormerDatabaseError(
        'DAMAGED',
        `the file ends within it: it has ${size} bytes, and should have ${high * pageSize}`,
        Math.floor(size / pageSize),
      );
  }

  /** The number of pages that a page spans. */
  pagesOf({ bytes }: Page): number {
    return bytes.length / this.meta.pageSize;
  }

  /** A page that is asked for by key: it, and those beside it, may be asked for again. */
  cachedPage(id: number): Page {
    const cached = this.#pages.get(id) ?? this.page(id);
    this.#pages.set(id, cached);
    return cached;
  }

  page(id: number): Page {
    const { high, pageSize } = this.meta;
    if (id < 2 || id >= high) throw new FormerDatabaseError('DAMAGED', `there is no such page: those of trees are 2 to ${high - 1}`, id);
    const first = bytesAt(this.#fd, id * pageSize, pageSize);
    if (first.length < HEADER_BYTES) throw new FormerDatabaseError('DAMAGED', 'the file ends within it', id);
    const pages = overflowOf(first) + 1;
    if (id + pages > high) throw new FormerDatabaseError('DAMAGED', `it spans ${pages} pages, past the last one, ${high - 1}`, id);
    if (pages * pageSize > MAX_SPAN_BYTES)
      throw new FormerDatabaseError('TOO_LARGE', `it has ${pages * pageSize} bytes with its overflow, of at most ${MAX_SPAN_BYTES}`, id);
    const bytes = pages === 1 ? first : bytesAt(this.#fd, id * pageSize, pages * pageSize);
    if (bytes.length < pages * pageSize) throw new FormerDatabaseError('DAMAGED', 'the file ends within it', id);
    return pageOf(bytes, id);
  }

  /**
   * True if no transaction was committed since the file was opened. A transaction writes to pages that the state before it does not use,
   * and then a meta page; only the next one may write to pages that were in use. So what was read until then is of one state.
   */
  isUnchanged(): boolean {
    return newestMeta(this.#fd).txid === this.meta.txid;
  }
}

/** Fewer bytes than asked for if the file ends before. */
const bytesAt = (fd: number, position: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(fd, bytes, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
};

const metas = (fd: number, pageSize: number): Meta[] =>
  [0, pageSize].flatMap((position) => readMeta(bytesAt(fd, position, META_BYTES)) ?? []).filter((meta) => meta.pageSize === pageSize);

/** If page 0 is damaged, its page size is not known: the second meta page is where it says. */
const newestMeta = (fd: number): Meta => {
  const first = readMeta(bytesAt(fd, 0, META_BYTES));
  const found = first ? metas(fd, first.pageSize) : pageSizes().flatMap((pageSize) => metas(fd, pageSize));
  const newest = found.reduce<Meta | undefined>((newer, meta) => (newer && newer.txid >= meta.txid ? newer : meta), undefined);
  if (!newest) throw new FormerDatabaseError('NOT_A_DATABASE', 'the file is not a bbolt database: neither of its two meta pages is valid');
  return newest;
};

const pageSizes = (): number[] => {
  const sizes = [];
  for (let size = MIN_PAGE_SIZE; size <= MAX_PAGE_SIZE; size *= 2) sizes.push(size);
  return sizes;
};

/** The content of a meta page. A bbolt file has two, pages 0 and 1, of which the valid one with the higher transaction id counts. */
interface Meta {
  readonly pageSize: number;
  /** The page of the root bucket. */
  readonly root: number;
  /** The first page that is not in use: all pages are below it. */
  readonly high: number;
  readonly txid: bigint;
}

/** Bytes of a meta page that say something: its header, and the meta itself. */
const META_BYTES = 80;

const MIN_PAGE_SIZE = 1024;
const MAX_PAGE_SIZE = 65_536;

const HEADER = 16;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
const CHECKED = 56;

/** The meta in the first bytes of a page; undefined if they are none, or damaged. */
const readMeta = (page: Buffer): Meta | undefined => {
  if (page.length < META_BYTES) return undefined;
  const meta = page.subarray(HEADER, META_BYTES);
  if (meta.readUInt32LE(0) !== MAGIC || meta.readUInt32LE(4) !== VERSION) return undefined;
  if (meta.readBigUInt64LE(CHECKED) !== checksum(meta.subarray(0, CHECKED))) return undefined;
  const pageSize = meta.readUInt32LE(8);
  const root = Number(meta.readBigUInt64LE(16));
  const high = Number(meta.readBigUInt64LE(40));
  const isPlausible = isPageSize(pageSize) && Number.isSafeInteger(high * pageSize) && root > 1 && root < high;
  return isPlausible ? { pageSize, root, high, txid: meta.readBigUInt64LE(48) } : undefined;
};

const isPageSize = (size: number): boolean => size >= MIN_PAGE_SIZE && size <= MAX_PAGE_SIZE && (size & (size - 1)) === 0;

/** FNV-1a of 64 bits. */
const checksum = (bytes: Uint8Array): bigint => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
};
