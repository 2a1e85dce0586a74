import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type KeyPair, newRoot, newServerCertificate, newSigner } from '../../src/index.ts';
import { StartFailure } from './failure.ts';
import { keepPrivate, readIfThere, writeWhole } from './files.ts';

/**
 * The certificates of `--tls auto`: a root that clients trust, and below it a server certificate and the authority that signs clients' certificates.
 * A key and its certificate stand in one file, so that they are replaced together or not at all, whatever happens in between.
 */
export interface Pki {
  /** The root certificate, for `curl --cacert`. */
  readonly rootFile: string;
  /** PEM of the root certificate. */
  readonly root: string;
  readonly signer: KeyPair;
  readonly server: KeyPair;
}

const DAY_MS = 86_400_000;
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** It signs for a year. */
const RENEW_SIGNER_BEFORE_MS = 400 * DAY_MS;

/**
 * Makes what is missing, and renews what ends within 30 days or does not cover all names.
 * @throws StartFailure when the folder cannot be written, or holds a root that cannot be used
 */
export const keepPki = async (folder: string, names: readonly string[], now: Date): Promise<Pki> => {
  await keepPrivate(folder);
  const root = await keepRoot(join(folder, 'root-ca.private.pem'), now);
  const rootFile = join(folder, 'root-ca.pem');
  if ((await readIfThere(rootFile)) !== root.cert) await writeWhole(rootFile, root.cert, 0o644);
  const signer = await keepSigner(join(folder, 'signer.private.pem'), root, now);
  return { rootFile, root: root.cert, signer, server: await keepServer(join(folder, 'server.private.pem'), root, names, now) };
};

const keepRoot = async (file: string, now: Date): Promise<KeyPair> => {
  const text = await readIfThere(file);
  const root = text === undefined ? undefined : keyPairOf(text);
  // Every client trusts this one: it is never replaced because of damage that a backup may undo.
  if (text !== undefined && !root)
    throw new StartFailure(
      `${file} does not hold a private key and its certificate: restore it, or move it away to begin with a new root certificate`,
    );
  if (root && !endsSoon(root, now)) return root;
  return keep(file, await newRoot({ now: now.getTime() }));
};

/** What an earlier signer signed stays good: clients send its certificate along. */
const keepSigner = async (file: string, root: KeyPair, now: Date): Promise<KeyPair> => {
  const known = keyPairOf((await readIfThere(file)) ?? '');
  if (known && !endsSoon(known, now, RENEW_SIGNER_BEFORE_MS) && isIssuedBy(known, root)) return known;
  return keep(file, await newSigner(root, { now: now.getTime() }));
};

const keepServer = async (file: string, root: KeyPair, names: readonly string[], now: Date): Promise<KeyPair> => {
  const known = keyPairOf((await readIfThere(file)) ?? '');
  if (known && !endsSoon(known, now) && isIssuedBy(known, root) && names.every((name) => covers(known.cert, name))) return known;
  return keep(file, await newServerCertificate(root, names, { now: now.getTime() }));
};

const keep = async (file: string, pair: KeyPair): Promise<KeyPair> => {
  await writeWhole(file, pair.key + pair.cert, 0o600);
  return pair;
};

/** @returns undefined unless there is a private key, and a certificate of that key */
const keyPairOf = (text: string): KeyPair | undefined => {
  const [, key, cert] =
    /^(-----BEGIN PRIVATE KEY-----\n.+?\n-----END PRIVATE KEY-----\n)(-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----\n)$/s.exec(
      text,
    ) ?? [];
  return key && cert && belongTogether(key, cert) === undefined ? { key, cert } : undefined;
};

/** @returns what is wrong with the two, if anything */
export const belongTogether = (key: string, cert: string): 'key' | 'cert' | 'pair' | undefined => {
  const certificate = attempt(() => new X509Certificate(cert));
  if (!certificate) return 'cert';
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) return 'key';
  return certificate.checkPrivateKey(privateKey) ? undefined : 'pair';
};

/** Whether a client that was told this name or address accepts the certificate. */
export const covers = (cert: string, name: string): boolean => {
  const certificate = new X509Certificate(cert);
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' })) !== undefined;
};

const endsSoon = ({ cert }: KeyPair, now: Date, before = RENEW_BEFORE_MS): boolean =>
  Date.parse(new X509Certificate(cert).validTo) - now.getTime() < before;

const isIssuedBy = ({ cert }: KeyPair, root: KeyPair): boolean =>
  new X509Certificate(cert).verify(new X509Certificate(root.cert).publicKey);

const attempt = <T>(make: () => T): T | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};
