import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** What one end of a circuit hands to the other, by number. */
export type PeerData = ReadonlyMap<number, Uint8Array>;

/** Bytes of all that a terminator may hand to those who dial it: keys and names of applications. */
const MOST_BYTES = 16_384;
/** Of each, its number and what the store needs for it. */
const OVERHEAD = 16;

/** Whether it may be stored. */
export const isStorable = (data: PeerData): boolean =>
  [...data.values()].reduce((sum, { length }) => sum + length + OVERHEAD, 0) <= MOST_BYTES;

/** As a terminator keeps it. */
export const storedPeerData = (data: PeerData): Readonly<Record<string, string>> =>
  Object.fromEntries([...data].map(([key, bytes]) => [String(key), bytesToHex(bytes)]));

/** What a terminator keeps. */
export const readPeerData = (stored: Readonly<Record<string, string>>): PeerData =>
  new Map(Object.entries(stored).map(([key, hex]) => [Number(key), hexToBytes(hex)]));
