import type { Certificate } from './certificate.ts';
import { countElements, spkiOf } from './der.ts';
import { pemFaultText } from './faults.ts';
import { isOneSequence, MAX_DER, readPem, writePem } from './pem.ts';
import { keyWeakness } from './strength.ts';
import { x509 } from './x509.ts';

/** A key of Web Crypto. Runtimes disagree about the name of this type. */
export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A way to sign, of Web Crypto, and how JOSE names it (RFC 7518, RFC 8037). */
export interface SigningAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: string;
  readonly jose: string;
}

const P256: SigningAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256', jose: 'ES256' };
const ECDSA: Readonly<Record<string, SigningAlgorithm>> = {
  'P-256': P256,
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384', jose: 'ES384' },
  'P-521': { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512', jose: 'ES512' },
};
const RSA: SigningAlgorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', jose: 'RS256' };
const ED25519: SigningAlgorithm = { name: 'Ed25519', jose: 'EdDSA' };

/** How the library describes a public key. */
interface KeyAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
}

/**
 * How the owner of a public key signs.
 * @returns undefined for a key that is not accepted: RSA of 2048 to 8192 bits, P-256, P-384, P-521 and Ed25519 are
 * @internal
 */
export const signingAlgorithmOf = (publicKey: Certificate['parsed']['publicKey']): SigningAlgorithm | undefined => {
  if (keyWeakness({ publicKey })) return undefined;
  const { name, namedCurve }: KeyAlgorithm = publicKey.algorithm;
  if (name === 'ECDSA') return ECDSA[namedCurve ?? ''];
  return name.startsWith('RSA') ? RSA : ED25519;
};

/** Elements (X.690) of a public key at most: those that are accepted have up to seven. */
const MAX_KEY_ELEMENTS = 10;

/**
 * The public key of a certificate whose word counts for nothing else: the rest of it is not read, and costs nothing however much it is.
 * @returns undefined for what is no certificate, or holds no key
 * @internal
 */
export const keyIn = async (certificate: Uint8Array): Promise<Certificate['parsed']['publicKey'] | undefined> => {
  const spki = certificate.length <= MAX_DER && isOneSequence(certificate) ? spkiOf(certificate) : undefined;
  if (!spki || countElements(spki, MAX_KEY_ELEMENTS) > MAX_KEY_ELEMENTS) return undefined;
  const library = await x509();
  try {
    return new library.PublicKey(new Uint8Array(spki));
  } catch {
    return undefined; // the library throws errors of all kinds for bytes that are something else
  }
};

/** Signs with a key that may be held outside of the process. */
export interface KeyHolder {
  readonly algorithm: SigningAlgorithm;
  /** In the form of Web Crypto: of ECDSA, r and s side by side. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** How the owner of a certificate signs. @throws TypeError for a key that is not accepted */
const algorithmOf = ({ parsed, subject }: Certificate): SigningAlgorithm => {
  const algorithm = signingAlgorithmOf(parsed.publicKey);
  if (!algorithm) throw new TypeError(`the key of ${subject} must be RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519`);
  return algorithm;
};

/** A way to sign that is the host's own. @throws TypeError for a certificate whose key is not accepted */
export const foreignKeyHolder = (sign: KeyHolder['sign'], certificate: Certificate): KeyHolder => ({
  algorithm: algorithmOf(certificate),
  sign,
});

/** A way to sign by a private key in PEM, PKCS#8. @throws TypeError for another, or for one that is not the certificate's */
export const keyHolder = async (pem: string, certificate: Certificate): Promise<KeyHolder & { readonly key: Key }> => {
  const algorithm = algorithmOf(certificate);
  const { value: [der] = [], fault = 'noPem' } = readPem(pem, { labels: ['PRIVATE KEY'], most: 1 });
  if (!der)
    throw new TypeError(
      `the private key of ${certificate.subject} must be one block PRIVATE KEY (PKCS#8) in PEM, unencrypted: ${pemFaultText(fault, { label: 'PRIVATE KEY', most: 1 })}`,
    );
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']).catch(() => undefined);
  const holder = key && {
    algorithm,
    key,
    sign: async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes)),
  };
  if (!holder || !(await belongs(holder, certificate)))
    throw new TypeError(`the private key is not the one of the certificate of ${certificate.subject}`);
  return holder;
};

const PROBE = new TextEncoder().encode('Whose key is it?');

const belongs = async (holder: KeyHolder, { parsed }: Certificate): Promise<boolean> => {
  const { algorithm } = holder;
  const publicKey = await parsed.publicKey.export(algorithm, ['verify']);
  return crypto.subtle.verify(algorithm, publicKey, await holder.sign(PROBE), PROBE);
};

/** A new key pair on P-256: the public key, the private key as PKCS#8 in PEM, and what signs with it. */
export const newKeyPair = async (): Promise<{
  readonly publicKey: Key;
  readonly privateKey: string;
  readonly holder: KeyHolder;
}> => {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return {
    publicKey,
    privateKey: writePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey))),
    holder: { algorithm: P256, sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(P256, privateKey, bytes)) },
  };
};
