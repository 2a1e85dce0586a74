import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { identity } from '../../contract/api/kinds.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { utf8 } from '../control-channel/primitives.ts';

/** Data that one end of a circuit sends to the other when the circuit is set up, such as its public key. Keyed by number. */
export type PeerData = ReadonlyMap<number, Uint8Array>;

/** Maximum size of the data that a terminator may store, in bytes. Hosts send a public key of 32 bytes, and little else. */
const MAX_STORED_BYTES = 4096;
/** Bytes added per entry, for its number and length. */
const OVERHEAD = 16;

/** Maximum size of the data from a client that dials, in bytes. Each attempt to reach a terminator sends the data to a router. */
const MAX_SENT_BYTES = 65_536;

/** The size of the data in bytes. */
export const sizeOf = (data: PeerData): number => [...data.values()].reduce((sum, { length }) => sum + length + OVERHEAD, 0);

export const isStorablePeerData = (data: PeerData): boolean => sizeOf(data) <= MAX_STORED_BYTES;

export const isSendablePeerData = (data: PeerData): boolean => sizeOf(data) <= MAX_SENT_BYTES;

/** The keys under which routers of the 2.x line name the identity that dials to the host of the service. */
const DIALER_ID = 1115;
const DIALER_NAME = 1116;

/** If peer data name an identity, replaces its id and name by those of the authorized one: hosts rely on them, and routers may be wrong. */
export const withAuthorizedDialer = async (entities: Entities, data: PeerData, identityId: string): Promise<PeerData> => {
  if (!data.has(DIALER_ID) && !data.has(DIALER_NAME)) return data;
  const { id, name } = await entities.require(identity, identityId);
  return new Map([...data, [DIALER_ID, utf8(id)], [DIALER_NAME, utf8(name)]]);
};

/** Encodes peer data for the row of a terminator. */
export const storedPeerData = (data: PeerData): Readonly<Record<string, string>> =>
  Object.fromEntries([...data].map(([key, bytes]) => [String(key), bytesToHex(bytes)]));

export const readPeerData = (stored: Readonly<Record<string, string>>): PeerData =>
  new Map(Object.entries(stored).map(([key, hex]) => [Number(key), hexToBytes(hex)]));
