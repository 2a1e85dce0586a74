import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** What one end of a circuit hands to the other, by number. */
export type PeerData = ReadonlyMap<number, Uint8Array>;

/** Bytes of all that a terminator may hand to those who dial it: keys and names of applications. */
const MOST_BYTES = 16_384;
/** Of each, its number and its length. */
const OVERHEAD = 16;

/** Of who dials: it goes to a router with each attempt. */
const MOST_SENT = 65_536;

const sizeOf = (data: PeerData): number => [...data.values()].reduce((sum, { length }) => sum + length + OVERHEAD, 0);

/** Whether a terminator may keep it. */
export const mayBeKept = (data: PeerData): boolean => sizeOf(data) <= MOST_BYTES;

/** Whether it may be handed to who is dialed. */
export const mayBeSent = (data: PeerData): boolean => sizeOf(data) <= MOST_SENT;

/** As a terminator keeps it. */
export const storedPeerData = (data: PeerData): Readonly<Record<string, string>> =>
  Object.fromEntries([...data].map(([key, bytes]) => [String(key), bytesToHex(bytes)]));

/** What a terminator keeps. */
export const readPeerData = (stored: Readonly<Record<string, string>>): PeerData =>
  new Map(Object.entries(stored).map(([key, hex]) => [Number(key), hexToBytes(hex)]));
