import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type FormerAuthority, type KeyPair, type NetworkAuthority, newRoot, newSigner } from '../src/index.ts';
import { StartFailure } from './failure.ts';
import { makePrivateFolder, readIfExists, writeAtomically, writeOnce } from './files.ts';

/**
 * The files of `--tls auto`. The network's authority (the root that clients trust, the signing authority below it, and the network key) is
 * in the database. The folder holds the server's certificate and a copy of the root certificate; folders of earlier versions, and those of
 * in-memory stores, also hold the authority. A key and its certificate share one file, so that they are replaced together or not at all.
 */
export interface ServerPki {
  /** The root certificate, for `curl --cacert`. */
  readonly rootFile: string;
  readonly serverFile: string;
  readonly server: KeyPair;
  /** True if the file contained no usable certificate and was overwritten with the one in use. */
  readonly isRestored: boolean;
}

const DAY_MS = 86_400_000;
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** The signer is renewed early enough to sign certificates that are valid for a year. */
const RENEW_SIGNER_BEFORE_MS = 400 * DAY_MS;

const ROOT = 'root-ca.private.pem';
const ROOT_CERTIFICATE = 'root-ca.pem';
const SIGNER = 'signer.private.pem';
const SERVER = 'server.private.pem';

/**
 * The authority in a folder, if there is one.
 * @throws StartFailure if its root is unusable
 */
export const authorityIn = async (folder: string): Promise<FormerAuthority | undefined> => {
  const root = await rootIn(folder);
  if (!root) return undefined;
  const [signer, server] = await Promise.all([SIGNER, SERVER].map((name) => pairIn(join(folder, name))));
  return { root, signer: signer && isIssuedBy(signer, root.cert) ? signer : undefined, server };
};

/**
 * Like `authorityIn`, for an in-memory network: creates the authority in the folder if there is none, so that clients need not trust a new
 * one after each start. Renews certificates that expire soon.
 * @throws StartFailure if the folder cannot be written, or contains an unusable root
 */
export const ensureAuthority = async (folder: string, now: Date): Promise<FormerAuthority> => {
  await makePrivateFolder(folder);
  await rootIn(folder); // throws if it is unusable: an existing root is never replaced for that
  const options = { now: now.getTime() };
  const root = await ensurePair(
    join(folder, ROOT),
    (pair) => !expiresSoon(pair, now),
    () => newRoot(options),
  );
  const signer = await ensurePair(
    join(folder, SIGNER),
    (pair) => !expiresSoon(pair, now, RENEW_SIGNER_BEFORE_MS) && isIssuedBy(pair, root.cert),
    () => newSigner(root, options),
  );
  return { root, signer, server: await pairIn(join(folder, SERVER)) };
};

/**
 * Returns the server certificate in a folder. Issues a new one if it is missing, expires within 30 days, does not cover all names, or was
 * not issued by the network's authority.
 * @param inUse the pair in use, which replaces an unusable one in the file
 * @throws StartFailure if the folder cannot be written
 */
export const ensureServerCertificate = async (
  folder: string,
  authority: NetworkAuthority,
  names: readonly string[],
  now: Date,
  inUse?: KeyPair,
): Promise<ServerPki> => {
  const { rootFile, root } = await ensureRootFile(folder, authority);
  const issuer = authority.issuerBelow(root) ?? '';
  const isUsable = (pair: KeyPair): boolean =>
    pair.key === authority.key &&
    (!expiresSoon(pair, now) || lastsAsLongAs(pair, issuer)) &&
    isIssuedBy(pair, issuer) &&
    names.every((name) => covers(pair.cert, name));
  let isRestored = false;
  const serverFile = join(folder, SERVER);
  const server = await ensurePair(serverFile, isUsable, async () => {
    if (inUse === undefined || !isUsable(inUse)) return authority.serverCertificate(names, root);
    isRestored = true;
    return inUse;
  });
  return { rootFile, serverFile, server, isRestored };
};

/**
 * Writes the root that clients on this machine trust to a file. Keeps the root that the file contains as long as the network can issue
 * server certificates below it. For an adopted network, the file contains all roots, because those of the server and the signer may differ.
 * @returns the file, and the root below which the server's certificate is issued
 */
export const ensureRootFile = async (
  folder: string,
  authority: NetworkAuthority,
): Promise<{ readonly rootFile: string; readonly root: string }> => {
  await makePrivateFolder(folder);
  const rootFile = join(folder, ROOT_CERTIFICATE);
  const rootInFile = await readIfExists(rootFile);
  const [first = ''] = authority.roots;
  const root = authority.roots.find((candidate) => candidate === rootInFile && authority.issuerBelow(candidate)) ?? first;
  const text = authority.isAdopted ? authority.roots.join('') : root;
  if (rootInFile !== text) await writeAtomically(rootFile, text, 0o644);
  return { rootFile, root };
};

/**
 * Replaces the server certificate in a folder with a new one for the same names and the same key.
 * @throws StartFailure if the folder has no server certificate, or cannot be written
 */
export const rotateServer = async (
  folder: string,
  authority: NetworkAuthority,
): Promise<{ readonly file: string; readonly certificate: X509Certificate }> => {
  const file = join(folder, SERVER);
  const { adoptedServer } = authority;
  if (adoptedServer)
    throw new StartFailure(
      `servers of this network present the certificate from before the adoption until ${new Date(adoptedServer.until).toISOString()}; after that, the network issues a new one`,
    );
  const current = await pairIn(file);
  if (!current)
    throw new StartFailure(
      `${file} contains no server certificate: the first start with --tls auto creates it; a server with certificates of its own has none to rotate`,
    );
  const rootInFile = await readIfExists(join(folder, ROOT_CERTIFICATE));
  const { cert, key } = await authority.serverCertificate(
    namesIn(current.cert),
    authority.roots.find((root) => root === rootInFile),
  );
  await writeAtomically(file, key + cert, 0o600);
  return { file, certificate: new X509Certificate(cert) };
};

/** The names that a server's certificate was issued for. */
const namesIn = (cert: string): readonly string[] =>
  (new X509Certificate(cert).subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));

/** Reads the root, which every client trusts. A damaged file is not replaced, because it can be restored from a backup. */
const rootIn = async (folder: string): Promise<KeyPair | undefined> => {
  const file = join(folder, ROOT);
  const text = await readIfExists(file);
  const root = text === undefined ? undefined : pairOf(text);
  if (text !== undefined && !root)
    throw new StartFailure(
      `${file} does not contain a private key and its certificate: restore it from a backup, or move it away if the network has its root in a database or may start with a new one`,
    );
  return root;
};

/**
 * Reads the pair in a file; creates the file if it is missing, and replaces an unusable pair. Processes that create it concurrently all use
 * the same pair.
 */
const ensurePair = async (file: string, isGood: (pair: KeyPair) => boolean, make: () => Promise<KeyPair>): Promise<KeyPair> => {
  const text = await readIfExists(file);
  const known = pairOf(text ?? '');
  if (known && isGood(known)) return known;
  const made = await make();
  if (text !== undefined) {
    await writeAtomically(file, made.key + made.cert, 0o600);
    return made;
  }
  const first = pairOf(await writeOnce(file, made.key + made.cert, 0o600));
  return first && isGood(first) ? first : made;
};

const pairIn = async (file: string): Promise<KeyPair | undefined> => pairOf((await readIfExists(file)) ?? '');

/** @returns undefined unless the text contains a private key and the certificate of that key */
const pairOf = (text: string): KeyPair | undefined => {
  const [, key, cert] =
    /^(-----BEGIN PRIVATE KEY-----\n.+?\n-----END PRIVATE KEY-----\n)(-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----\n)$/s.exec(
      text,
    ) ?? [];
  return key && cert && faultOfPair(key, cert) === undefined ? { key, cert } : undefined;
};

/** @returns the invalid part, or `pair` if key and certificate do not match; undefined if they do */
export const faultOfPair = (key: string, cert: string): 'key' | 'cert' | 'pair' | undefined => {
  const certificate = attempt(() => new X509Certificate(cert));
  if (!certificate) return 'cert';
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) return 'key';
  return certificate.checkPrivateKey(privateKey) ? undefined : 'pair';
};

/** True if the certificate is valid for this name or address. */
export const covers = (cert: string, name: string): boolean => {
  const certificate = new X509Certificate(cert);
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' })) !== undefined;
};

const expiresSoon = ({ cert }: KeyPair, now: Date, before = RENEW_BEFORE_MS): boolean =>
  Date.parse(new X509Certificate(cert).validTo) - now.getTime() < before;

/** True if the certificate expires no earlier than its issuer: a renewed one could not be valid for longer. */
const lastsAsLongAs = ({ cert }: KeyPair, issuer: string): boolean =>
  Date.parse(new X509Certificate(cert).validTo) >= Date.parse(new X509Certificate(issuer).validTo);

const isIssuedBy = ({ cert }: KeyPair, root: string): boolean => new X509Certificate(cert).verify(new X509Certificate(root).publicKey);

const attempt = <T>(make: () => T): T | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};
