/** Tokens that say nothing by themselves: random UUIDs (122 bits), of sessions and of enrollments, kept as hashes. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if a text has the form of such a token. */
export const isOpaqueToken = (text: string): boolean => UUID.test(text);

/** SHA-256 in hex: how tokens are kept. They are random enough to need no salt. */
export const hashToken = (token: string): string => bytesToHex(sha256(utf8ToBytes(token)));
