import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Data that one end of a circuit sends to the other when the circuit is set up, by number; e.g. its public key. */
export type PeerData = ReadonlyMap<number, Uint8Array>;

/** Bytes that a terminator may store. */
const MOST_STORED = 16_384;
/** Bytes per entry for its number and length. */
const OVERHEAD = 16;

/** Bytes of a client that dials, which go to a router with each attempt. */
const MOST_SENT = 65_536;

const sizeOf = (data: PeerData): number => [...data.values()].reduce((sum, { length }) => sum + length + OVERHEAD, 0);

export const isStorablePeerData = (data: PeerData): boolean => sizeOf(data) <= MOST_STORED;

export const isSendablePeerData = (data: PeerData): boolean => sizeOf(data) <= MOST_SENT;

/** Peer data as the row of a terminator has them. */
export const storedPeerData = (data: PeerData): Readonly<Record<string, string>> =>
  Object.fromEntries([...data].map(([key, bytes]) => [String(key), bytesToHex(bytes)]));

export const readPeerData = (stored: Readonly<Record<string, string>>): PeerData =>
  new Map(Object.entries(stored).map(([key, hex]) => [Number(key), hexToBytes(hex)]));
