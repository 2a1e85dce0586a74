/** Texts that only the tab that asked for them can read. */

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const CIPHER = 'AES-GCM';
const IV_BYTES = 12;

export interface Sealed {
  /** The public key of the sender, made for this message. */
  readonly sender: CryptoKey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly bytes: ArrayBuffer;
}

/** A key pair for one message. The private key cannot be read, not even by scripts of this tab. */
export const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(CURVE, false, ['deriveKey']);

const sharedKey = (own: CryptoKey, other: CryptoKey): Promise<CryptoKey> =>
  crypto.subtle.deriveKey({ name: CURVE.name, public: other }, own, { name: CIPHER, length: 256 }, false, ['encrypt', 'decrypt']);

/**
 * @returns a function that seals texts for the holder of a key
 * @throws if the key is not one of `newKeys`
 */
export const sealFor = async (receiver: CryptoKey): Promise<(text: string) => Promise<Sealed>> => {
  const { privateKey, publicKey } = await newKeys();
  const key = await sharedKey(privateKey, receiver);
  return async (text) => {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES)); // never the same for two texts: the cipher would be broken
    return { sender: publicKey, iv, bytes: await crypto.subtle.encrypt({ name: CIPHER, iv }, key, new TextEncoder().encode(text)) };
  };
};

/** @throws if the text was sealed for another key, or modified */
export const unseal = async ({ sender, iv, bytes }: Sealed, own: CryptoKey): Promise<string> =>
  new TextDecoder().decode(await crypto.subtle.decrypt({ name: CIPHER, iv }, await sharedKey(own, sender), bytes));
