/** The meta pages of a bbolt file: pages 0 and 1, of which the valid one with the higher transaction id counts. */

/** What a valid meta page says. */
export interface Meta {
  readonly pageSize: number;
  /** The page of the root bucket. */
  readonly root: number;
  /** The first page that is not in use: all pages are below it. */
  readonly high: number;
  readonly txid: bigint;
}

/** Bytes of a meta page that say something: its header, and the meta itself. */
export const META_BYTES = 80;

export const MIN_PAGE_SIZE = 1024;
export const MAX_PAGE_SIZE = 65_536;

const HEADER = 16;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
const CHECKED = 56;

/** The meta in the first bytes of a page; undefined if they are none, or damaged. */
export const readMeta = (page: Buffer): Meta | undefined => {
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
export const checksum = (bytes: Uint8Array): bigint => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
};
