import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The part of the module `node:crypto` that is used. */
interface NativeCrypto {
  hash?(algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex'): string;
}

/** Set on runtimes with Node modules: Node, Deno, Bun, and Workers with a compatibility flag. */
const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): NativeCrypto | undefined } };

const nativeHash = process?.getBuiltinModule?.('node:crypto')?.hash;

/**
 * SHA-256 in hex of bytes or of a text in UTF-8. Synchronous, unlike Web Crypto, because a change record is hashed while its transaction is
 * open. Uses the native function of the runtime if there is one, which is six times as fast.
 */
export const sha256Hex = (data: string | Uint8Array): string => nativeHash?.('sha256', data, 'hex') ?? portableSha256Hex(data);

/** The implementation for runtimes without Node modules. */
export const portableSha256Hex = (data: string | Uint8Array): string =>
  bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data));
