import { createPrivateKey, createPublicKey, generateKeyPairSync, type webcrypto } from 'node:crypto';
import { Eku } from '../../src/crypto/pki/certificate.ts';
import type { newKeyPair } from '../../src/crypto/pki/keys.ts';
import { authority, NOW, type Party, party } from './pki.ts';

const DAY = 86_400_000;

type Keys = Awaited<ReturnType<typeof newKeyPair>>;

/** An RSA key pair. Keys of 4,096 bits take seconds: make few. */
export const rsaKeys = async (bits: number): Promise<Keys> => {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', jose: 'RS256' };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const imported = await crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ type: 'pkcs8', format: 'der' }) as Uint8Array<ArrayBuffer>, // as Web Crypto's types require
    algorithm,
    false,
    ['sign'],
  );
  return {
    publicKey: (await crypto.subtle.importKey(
      'spki',
      publicKey.export({ type: 'spki', format: 'der' }) as Uint8Array<ArrayBuffer>,
      algorithm,
      true,
      ['verify'],
    )) as webcrypto.CryptoKey,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    holder: { algorithm, sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(algorithm, imported, bytes)) },
  };
};

/** A private key in the form that OpenSSL calls traditional: PKCS#1 or SEC 1. */
export const traditional = (key: string): string => {
  const parsed = createPrivateKey(key);
  return parsed.export({ type: parsed.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1', format: 'pem' }).toString();
};

export const publicKeyOf = (key: string) => createPublicKey(createPrivateKey(key));

/** The certificates and keys of a controller that another program runs: two unrelated authorities, as express installs have them. */
export interface OldAuthority {
  /** Signs the signer. Its key is offline. */
  readonly root: Party;
  /** RSA 4096. */
  readonly signer: Party;
  readonly serverRoot: Party;
  readonly serverSigner: Party;
  /** RSA 2048, valid for 200 days from `NOW` on, for `controller.old.example` and 127.0.0.1. */
  readonly server: Party;
  /** For `public.example`, of an authority of the public. */
  readonly alternative: Party;
}

let made: Promise<OldAuthority> | undefined;

/** Made once in a process, because its keys take seconds. */
export const oldAuthority = (): Promise<OldAuthority> => (made ??= make());

const make = async (): Promise<OldAuthority> => {
  const years = { notAfter: NOW + 3650 * DAY };
  const root = await authority('Old Root', years);
  const signer = await authority('Old Signer', { by: root, pathLength: 0, keys: await rsaKeys(4096), ...years });
  const serverRoot = await authority('Old Server Root', years);
  const serverSigner = await authority('Old Server Signer', { by: serverRoot, ...years });
  const server = await party('Old Server', {
    by: serverSigner,
    keys: await rsaKeys(2048),
    notAfter: NOW + 200 * DAY,
    extendedKeyUsage: [Eku.serverAuth],
    names: { dnsNames: ['controller.old.example'], ipAddresses: ['127.0.0.1'], uris: ['spiffe://old.domain/controller/ctrl1'] },
  });
  const publicRoot = await authority('Public Root', years);
  const alternative = await party('Public Name', {
    by: publicRoot,
    extendedKeyUsage: [Eku.serverAuth],
    names: { dnsNames: ['public.example', '*.apps.example'] },
  });
  return { root, signer, serverRoot, serverSigner, server, alternative };
};

/** The parts of it that a new controller adopts: neither root has its key. */
export const adoptedParts = async () => {
  const { root, signer, serverRoot, serverSigner, server, alternative } = await oldAuthority();
  return {
    signer: { certificates: signer.cert, key: traditional(signer.key) },
    roots: serverRoot.cert + root.cert,
    trustDomain: 'old.domain',
    server: { key: traditional(server.key), cert: server.cert + serverSigner.cert },
    alternatives: [{ key: traditional(alternative.key), cert: alternative.cert }],
  };
};
