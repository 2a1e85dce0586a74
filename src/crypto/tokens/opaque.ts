/** Opaque tokens of sessions and enrollments: random UUIDs (122 bits), stored as hashes. */
import { sha256Hex } from '../sha256.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if a text has the form of an opaque token. */
export const isOpaqueToken = (text: string): boolean => UUID.test(text);

/** SHA-256 in hex, the stored form of tokens. A salt is unnecessary, because tokens are random. */
export const hashToken = (token: string): string => sha256Hex(token);
