import { decode, encode } from 'jose/base64url';
import type { Random } from './platform.ts';
import { webRandom } from './web.ts';

/**
 * Encrypts secrets that must be stored and read again (private keys, TOTP secrets), so that a copy of the database does not reveal them.
 * AES-256-GCM (NIST SP 800-38D) with a random nonce. The context, such as `mfa:<identity id>`, is authenticated: a text that was sealed for
 * one context cannot be unsealed for another.
 */
export interface Secrets {
  seal(text: string, context: string): Promise<string>;
  /** @throws SecretUnreadable if the text was sealed under an unknown key or for another context, or has been modified */
  unseal(sealed: string, context: string): Promise<string>;
}

/** The secret keys of a controller. One of them seals; all of them unseal. */
export interface SecretKeys extends Secrets {
  /** The names of the keys, in order of addition. A name reveals nothing about its key. */
  readonly names: readonly string[];
  /**
   * Selects the key that seals from now on.
   * @throws SecretUnreadable if no key has this name
   */
  sealUnder(name: string): void;
  /**
   * @returns the name of the key.
   * @throws TypeError for an invalid one
   */
  add(secretKey: string): Promise<string>;
}

/** A sealed secret cannot be unsealed. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  /** True if this controller lacks the key. */
  readonly isKeyMissing: boolean;
  constructor(message: string, { isKeyMissing = false } = {}) {
    super(message);
    this.isKeyMissing = isKeyMissing;
  }
}

const KEY_BYTES = 32;
/** With random nonces of 96 bits, a key may seal 2^32 texts (NIST SP 800-38D, 8.2.2). */
const NONCE_BYTES = 12;
const FORMAT = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** @returns a new secret key: 32 random bytes in base64url */
export const newSecretKey = (random: Pick<Random, 'bytes'> = webRandom): string => encode(random.bytes(KEY_BYTES));

/**
 * @param secretKeys each 32 bytes in base64 or base64url. The first one seals, until `sealUnder` selects another.
 * @throws TypeError for an invalid key, or without keys
 */
export const createSecrets = async (secretKeys: readonly string[], random: Pick<Random, 'bytes'>): Promise<SecretKeys> => {
  const keyRing = new KeyRing(random);
  for (const text of secretKeys) await keyRing.add(text);
  const [first] = keyRing.names;
  if (first === undefined) throw new TypeError('at least one secret key is required');
  keyRing.sealUnder(first);
  return keyRing;
};

class KeyRing implements SecretKeys {
  readonly #keys = new Map<string, Key>();
  readonly #random: Pick<Random, 'bytes'>;
  /** The name of the key that seals. */
  #sealing = '';

  constructor(random: Pick<Random, 'bytes'>) {
    this.#random = random;
  }

  get names(): readonly string[] {
    return [...this.#keys.keys()];
  }

  async add(secretKey: string): Promise<string> {
    const bytes = keyBytes(secretKey);
    const name = await nameOf(bytes);
    this.#keys.set(name, await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']));
    return name;
  }

  sealUnder(name: string): void {
    this.#key(name);
    this.#sealing = name;
  }

  async seal(text: string, context: string): Promise<string> {
    const name = this.#sealing;
    const nonce = new Uint8Array(this.#random.bytes(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(parametersOf(nonce, context), this.#key(name), utf8.encode(text));
    const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength);
    bytes.set(nonce);
    bytes.set(new Uint8Array(sealed), NONCE_BYTES);
    return `v1.${name}.${encode(bytes)}`;
  }

  async unseal(sealed: string, context: string): Promise<string> {
    const [, name = '', text = ''] = FORMAT.exec(sealed) ?? [];
    const key = this.#key(name);
    try {
      const bytes = new Uint8Array(decode(text));
      const nonce = bytes.slice(0, NONCE_BYTES);
      return new TextDecoder().decode(await crypto.subtle.decrypt(parametersOf(nonce, context), key, bytes.slice(NONCE_BYTES)));
    } catch {
      throw new SecretUnreadable('the secret was sealed for another field or entity, or has been modified');
    }
  }

  #key(name: string): Key {
    const key = this.#keys.get(name);
    if (!key) throw keyMissing();
    return key;
  }
}

export const keyMissing = (): SecretUnreadable =>
  new SecretUnreadable('the secret was sealed under a secret key that this controller does not have', { isKeyMissing: true });

/** The name of the key under which a text was sealed; undefined if it is not a sealed text. */
export const keyNameOf = (sealed: string): string | undefined => FORMAT.exec(sealed)?.[1];

/** The name of this type differs between runtimes. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const utf8 = new TextEncoder();

const parametersOf = (iv: Uint8Array<ArrayBuffer>, context: string) => ({ name: 'AES-GCM', iv, additionalData: utf8.encode(context) });

/** Accepts both alphabets of RFC 4648, sections 4 and 5. */
const keyBytes = (text: string): Uint8Array<ArrayBuffer> => {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = new Uint8Array(decode(text.replaceAll('+', '-').replaceAll('/', '_')));
  } catch {
    // The error below does not contain the text, which may be nearly the correct key.
  }
  if (bytes?.length !== KEY_BYTES)
    throw new TypeError(`a secret key must be ${KEY_BYTES} random bytes in base64, got ${bytes ? `${bytes.length} bytes` : 'no base64'}`);
  return bytes;
};

/** The name of a key. Sealed texts contain it, to refer to the key without revealing it. */
const nameOf = async (key: Uint8Array<ArrayBuffer>): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', key)).slice(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
