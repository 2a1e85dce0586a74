/** Opaque tokens of sessions and enrollments: random UUIDs (122 bits), stored as hashes. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if a text has the form of an opaque token. */
export const isOpaqueToken = (text: string): boolean => UUID.test(text);

/** SHA-256 in hex, the stored form of tokens. They are random enough to need no salt. */
export const hashToken = (token: string): string => bytesToHex(sha256(utf8ToBytes(token)));
