import { decode, encode } from 'jose/base64url';
import type { Random } from './platform.ts';
import { webRandom } from './web.ts';

/**
 * Seals what must be stored and read again (private keys, TOTP secrets), so that a copy of the database gives none of it away.
 * AES-256-GCM (NIST SP 800-38D) with a random nonce. The context, such as `mfa:<identity id>`, is bound in: what was sealed for one
 * place opens in no other.
 */
export interface Secrets {
  seal(text: string, context: string): Promise<string>;
  /** @throws SecretUnreadable when the text was sealed under another key, for another context, or was changed since */
  unseal(sealed: string, context: string): Promise<string>;
}

export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

const KEY_BYTES = 32;
/** NIST SP 800-38D, 8.2.2: with random nonces of 96 bits a key is good for 2^32 texts. */
const NONCE_BYTES = 12;
const FORMAT = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** @returns a new secret key: 32 random bytes in base64url */
export const newSecretKey = (random: Pick<Random, 'bytes'> = webRandom): string => encode(random.bytes(KEY_BYTES));

/**
 * @param secretKeys each 32 bytes in base64 or base64url. The first one seals; all of them unseal, so that a key can be rotated by putting a new one
 * first.
 * @throws TypeError for an invalid key
 */
export const createSecrets = async (secretKeys: readonly string[], random: Pick<Random, 'bytes'>): Promise<Secrets> => {
  const keys = new Map<string, Key>();
  for (const text of secretKeys) {
    const bytes = keyBytes(text);
    keys.set(await nameOf(bytes), await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']));
  }
  const [first] = keys;
  if (!first) throw new TypeError('at least one secret key is needed');
  const [name, key] = first;
  return {
    seal: async (text, context) => {
      const nonce = new Uint8Array(random.bytes(NONCE_BYTES));
      const sealed = await crypto.subtle.encrypt(parametersOf(nonce, context), key, utf8.encode(text));
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength);
      bytes.set(nonce);
      bytes.set(new Uint8Array(sealed), NONCE_BYTES);
      return `v1.${name}.${encode(bytes)}`;
    },
    unseal: async (sealed, context) => {
      const [, under = '', text = ''] = FORMAT.exec(sealed) ?? [];
      const opener = keys.get(under);
      if (!opener) throw new SecretUnreadable('it was sealed under a secret key that this controller was not given');
      try {
        const bytes = new Uint8Array(decode(text));
        const nonce = bytes.slice(0, NONCE_BYTES);
        return new TextDecoder().decode(await crypto.subtle.decrypt(parametersOf(nonce, context), opener, bytes.slice(NONCE_BYTES)));
      } catch {
        throw new SecretUnreadable('it was sealed for another place, or changed since');
      }
    },
  };
};

/** Runtimes disagree about the name of this type. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const utf8 = new TextEncoder();

const parametersOf = (iv: Uint8Array<ArrayBuffer>, context: string) => ({ name: 'AES-GCM', iv, additionalData: utf8.encode(context) });

/** In either alphabet of RFC 4648, sections 4 and 5. */
const keyBytes = (text: string): Uint8Array<ArrayBuffer> => {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = new Uint8Array(decode(text.replaceAll('+', '-').replaceAll('/', '_')));
  } catch {
    // The error below does not contain the text: it may be nearly the right key.
  }
  if (bytes?.length !== KEY_BYTES)
    throw new TypeError(`a secret key must be ${KEY_BYTES} random bytes in base64, got ${bytes ? `${bytes.length} bytes` : 'no base64'}`);
  return bytes;
};

/** Which key a text was sealed under, without telling anything of the key. */
const nameOf = async (key: Uint8Array<ArrayBuffer>): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', key)).slice(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
