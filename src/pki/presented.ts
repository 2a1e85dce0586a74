import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { type Certificate, elementsOf, MAX_ELEMENTS, MAX_PRESENTED, readCertificate } from './certificate.ts';

/** The certificates that a client sent in the TLS handshake, where it proved possession of the key of the first only. */
export interface Presented {
  readonly leaf: Certificate;
  /** The intermediate certificates. Not trusted. Parsed on demand. */
  others(): Promise<readonly Certificate[]>;
}

/** Bytes of a chain at most: five times what a chain commonly has. */
export const MAX_CHAIN_BYTES = 32_768;

/**
 * Chains that were read, by their bytes: clients present the same chain on every connection. As many as have these bytes in
 * all; what is read of them takes up to 45 times as much.
 */
const known = new LRUCache<string, { readonly presented: Promise<Presented | undefined> }>({ maxSize: 2_097_152 });

/**
 * The certificates that a client presented, DER, leaf first. What is beyond the bounds is not looked at: more than `MAX_PRESENTED` certificates,
 * `MAX_CHAIN_BYTES`, or `MAX_ELEMENTS` count as none.
 * @returns undefined when there are none, or the first is none
 */
export const readPresented = async (ders: readonly Uint8Array[]): Promise<Presented | undefined> => {
  const [first, ...rest] = ders;
  const size = ders.reduce((sum, { length }) => sum + length, 0);
  if (!first || ders.length > MAX_PRESENTED || size > MAX_CHAIN_BYTES) return undefined;
  const name = ders.map((der) => bytesToHex(sha256(der))).join();
  const before = known.get(name);
  if (before) return before.presented;
  if (elementsOf(ders) > MAX_ELEMENTS) return undefined;
  const presented = readLeaf(first, rest);
  known.set(name, { presented }, { size });
  return presented;
};

const readLeaf = async (first: Uint8Array, rest: readonly Uint8Array[]): Promise<Presented | undefined> => {
  const leaf = await readCertificate(first);
  if (!leaf) return undefined;
  let others: Promise<readonly Certificate[]> | undefined;
  return { leaf, others: () => (others ??= readOthers(rest)) };
};

/** Entries that are not certificates are ignored. */
const readOthers = async (ders: readonly Uint8Array[]): Promise<readonly Certificate[]> =>
  (await Promise.all(ders.map(readCertificate))).filter((other) => other !== undefined);
