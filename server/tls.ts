import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type KeyPair, type NetworkAuthority, networkAuthority, type PkiOptions, type StorageAdapter } from '../src/index.ts';
import { pkcs8Of } from '../src/pki/private-key.ts';
import { certifiedNames, hostInUrl, hostOfRouters, namesOf } from './addresses.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import { readText } from './files.ts';
import { authorityIn, covers, faultOfPair, keepAuthority, keepRoot, keepServer, type ServerPki } from './pki.ts';
import type { ServerOptions } from './server-options.ts';

/** The server's TLS credentials. */
export interface Tls {
  readonly pair: KeyPair;
  /** Pairs for clients that ask for another name. */
  readonly alternatives: readonly KeyPair[];
  /** The controller's signing key and certificate, so that enrolling clients trust this server. */
  readonly pki: PkiOptions;
  /** The root certificate for clients, as a file for `curl --cacert`, and its description. */
  readonly trust: { readonly file: string; readonly label: string };
  /** Warnings for the operator. */
  readonly warning?: string;
  /**
   * Rereads the files, and renews a certificate of `--tls auto` that expires soon. The controller then signs with the new pair.
   * @param isRequested true to read the authority in the database again, too, which happens every ten minutes otherwise
   * @returns undefined if nothing changed
   * @throws StartFailure for invalid files, in which case the pair in use is kept
   */
  reread(now: Date, isRequested?: boolean): Promise<Renewed | undefined>;
}

/** A pair that replaces the one in use. */
export type Renewed = Pick<Tls, 'pair' | 'warning'>;

/** The network that the server serves. */
export interface Network {
  readonly storage: StorageAdapter;
  readonly secretKey: readonly string[] | undefined;
  /** The folder of the server's files. */
  readonly folder: string;
  /** True if the network outlives the server. */
  readonly isKept: boolean;
}

/** @throws StartFailure if no certificate is available */
export const prepareTls = async (
  { tls, host, address, routerAddress }: Pick<ServerOptions, 'tls' | 'host' | 'address' | 'routerAddress'>,
  network: Network,
): Promise<Tls | undefined> => {
  if (tls.is === 'off') return undefined;
  const advertised = address === undefined ? namesOf(host).advertised : hostInUrl(new URL(address).hostname);
  if (tls.is === 'files') return givenFiles(tls.cert, tls.key, advertised);
  // Separate from the files of a network in a database, whose clients trust another root.
  const folder = resolve(network.folder, network.isKept ? 'pki' : 'pki-memory');
  let authority = await authorityOf(network, folder);
  let readAt = Date.now();
  const names = [...certifiedNames(host, advertised), ...(routerAddress === undefined ? [] : [hostOfRouters(routerAddress)])];
  const keep = async (now: Date, known?: KeyPair): Promise<Kept> =>
    (await adoptedPair(folder, authority, advertised, now)) ?? keepServer(folder, authority, [...new Set(names)], now, known);
  const { rootFile, server } = await keep(new Date());
  let inUse = server;
  return {
    pair: server,
    alternatives: authority.alternatives,
    pki: { serverCertificate: () => inUse },
    trust: { file: rootFile, label: 'root certificate' },
    reread: async (now, isRequested = false) => {
      if (isRequested || now.getTime() - readAt >= READ_AUTHORITY_MS) {
        authority = await authorityOf(network, folder);
        readAt = now.getTime();
      }
      const { server: latest, serverFile, isRestored } = await keep(now, inUse);
      if (isRestored) throw new StartFailure(`${serverFile} held no usable certificate, and was overwritten with the one in use`);
      if (latest.cert === inUse.cert) return undefined;
      inUse = latest;
      return { pair: latest };
    },
  };
};

/** How often the authority in the database is read again, which another machine may have rotated. */
const READ_AUTHORITY_MS = 600_000;

type Kept = Pick<ServerPki, 'rootFile' | 'server'> & Partial<ServerPki>;

/** The server certificate of an adopted network, as long as it is to be presented, and is for the name under which clients reach the server. */
const adoptedPair = async (folder: string, authority: NetworkAuthority, name: string, now: Date): Promise<Kept | undefined> => {
  const { adoptedServer } = authority;
  if (!adoptedServer || adoptedServer.until <= now.getTime() || !covers(adoptedServer.cert, name)) return undefined;
  const { key, cert } = adoptedServer;
  return { ...(await keepRoot(folder, authority)), server: { key, cert } };
};

/** The authority in the database, imported from the folder if an earlier version kept it there. */
const authorityOf = async ({ storage, secretKey, isKept }: Network, folder: string): Promise<NetworkAuthority> => {
  const former = isKept ? await authorityIn(folder) : await keepAuthority(folder, new Date());
  return networkAuthority({ storage, secretKey, former });
};

const givenFiles = async (certFile: string, keyFile: string, name: string): Promise<Tls> => {
  const read = async () => {
    const [cert, key] = [readText(certFile), readText(keyFile)];
    return { cert, key, ...pairOf(cert, key, certFile, keyFile, name) };
  };
  let inUse = await read();
  const { pair, warning } = inUse;
  return {
    pair,
    alternatives: [],
    ...(warning ? { warning } : {}),
    pki: { serverCertificate: () => inUse.pair, bundle: () => inUse.cert },
    trust: { file: resolve(certFile), label: 'certificate' },
    reread: async (now) => {
      const latest = await read();
      if (latest.cert === inUse.cert && latest.key === inUse.key) return undefined;
      const { validTo } = new X509Certificate(latest.cert);
      if (Date.parse(validTo) <= now.getTime()) throw new StartFailure(`the certificate in ${certFile} has expired, on ${validTo}`);
      inUse = latest;
      return latest;
    },
  };
};

/** @throws StartFailure that names the invalid file, or says that the two do not match */
const pairOf = (cert: string, key: string, certFile: string, keyFile: string, name: string): Renewed => {
  const fault = faultOfPair(key, cert);
  if (fault === 'cert') throw new StartFailure(`${certFile} holds no certificate in PEM`);
  if (fault === 'key') throw new StartFailure(`${keyFile} holds no private key in PEM without a passphrase`);
  if (fault === 'pair') throw new StartFailure(`the key in ${keyFile} does not belong to the certificate in ${certFile}`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new StartFailure(`TLS cannot use the certificates in ${certFile}: ${sentenceOf(error)}`);
  }
  const coveredNames = new X509Certificate(cert).subjectAltName ?? 'no name at all';
  const pair = { cert, key: pkcs8Of(key) };
  if (covers(cert, name)) return { pair };
  const consequence = `clients that reach the server as ${name} will refuse it`;
  return { pair, warning: `the certificate in ${certFile} is not for ${name} but for ${coveredNames}: ${consequence}` };
};
