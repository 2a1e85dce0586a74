import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../sha256.ts';
import { type Certificate, elementsOf, MAX_ELEMENTS, MAX_PRESENTED, readCertificate } from './certificate.ts';

/** The certificates that a client sent in the TLS handshake, which proves possession of the leaf's key only. */
export interface Presented {
  readonly leaf: Certificate;
  /** The intermediate certificates. Not trusted. Parsed on demand. */
  others(): Promise<readonly Certificate[]>;
}

/** Maximum size of a chain in bytes: five times that of a typical chain. */
export const MAX_CHAIN_BYTES = 32_768;

/**
 * Cache of parsed chains, by the hashes of their certificates: clients present the same chain on every connection. `maxSize` limits the
 * total size of the encoded chains; parsed chains take up to 45 times as much memory.
 */
const cache = new LRUCache<string, { readonly presented: Promise<Presented | undefined> }>({ maxSize: 2_097_152 });

/**
 * Reads the certificates that a client presented, in DER, leaf first. A chain beyond the limits is not parsed, and counts as absent: more
 * than `MAX_PRESENTED` certificates, `MAX_CHAIN_BYTES` bytes, or `MAX_ELEMENTS` elements.
 * @returns undefined without certificates, or if the first one is invalid
 */
export const readPresented = async (ders: readonly Uint8Array[]): Promise<Presented | undefined> => {
  const [first, ...rest] = ders;
  const size = ders.reduce((sum, { length }) => sum + length, 0);
  if (!first || ders.length > MAX_PRESENTED || size > MAX_CHAIN_BYTES) return undefined;
  const key = ders.map(sha256Hex).join();
  const cached = cache.get(key);
  if (cached) return cached.presented;
  if (elementsOf(ders) > MAX_ELEMENTS) return undefined;
  const presented = readLeaf(first, rest);
  cache.set(key, { presented }, { size });
  return presented;
};

const readLeaf = async (first: Uint8Array, rest: readonly Uint8Array[]): Promise<Presented | undefined> => {
  const leaf = await readCertificate(first);
  if (!leaf) return undefined;
  let others: Promise<readonly Certificate[]> | undefined;
  return { leaf, others: () => (others ??= readOthers(rest)) };
};

/**
 * Cache of parsed intermediate certificates, by their hashes: all routers of a network, which connect together after a restart, present the
 * same ones. `maxSize` limits their total size in bytes.
 */
const otherCache = new LRUCache<string, { readonly read: Promise<Certificate | undefined> }>({ maxSize: 262_144 });

const readOther = (der: Uint8Array): Promise<Certificate | undefined> => {
  const key = sha256Hex(der);
  const cached = otherCache.get(key);
  if (cached) return cached.read;
  const read = readCertificate(der);
  otherCache.set(key, { read }, { size: der.length + key.length });
  return read;
};

/** Ignores invalid certificates. */
const readOthers = async (ders: readonly Uint8Array[]): Promise<readonly Certificate[]> =>
  (await Promise.all(ders.map(readOther))).filter((other) => other !== undefined);
