import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { toPkcs8 } from '../src/crypto/pki/private-key.ts';
import { type KeyPair, type NetworkAuthority, networkAuthority, type PkiOptions, type StorageAdapter } from '../src/index.ts';
import { certifiedNames, hostInUrl, hostOfRouters, namesOf } from './addresses.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import { readText } from './files.ts';
import { authorityIn, covers, ensureAuthority, ensureRootFile, ensureServerCertificate, faultOfPair, type ServerPki } from './pki.ts';
import type { ServerOptions } from './server-options.ts';

/** The server's TLS credentials. */
export interface Tls {
  readonly pair: KeyPair;
  /** Pairs for clients that request another name by SNI. */
  readonly alternatives: readonly KeyPair[];
  /** The controller's signing key and certificate, so that enrolling clients trust this server. */
  readonly pki: PkiOptions;
  /** The file of the certificate that clients must trust, for `curl --cacert`, and its description. */
  readonly trust: { readonly file: string; readonly label: string };
  /** A warning for the operator. */
  readonly warning?: string;
  /**
   * Reloads the files, and renews a certificate of `--tls auto` that expires soon. The controller then signs with the new pair.
   * @param trigger a requested reload always reads the authority in the database, a scheduled one every ten minutes
   * @returns undefined if nothing changed
   * @throws StartFailure for invalid files, in which case the pair in use is kept
   */
  reload(now: Date, trigger: ReloadTrigger): Promise<Renewed | undefined>;
}

export type ReloadTrigger = 'scheduled' | 'requested';

/** A pair that replaces the one in use. */
export type Renewed = Pick<Tls, 'pair' | 'warning'>;

/** The network that the server serves. */
export interface ServedNetwork {
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
  network: ServedNetwork,
): Promise<Tls | undefined> => {
  if (tls.is === 'off') return undefined;
  const advertised = address === undefined ? namesOf(host).advertised : hostInUrl(new URL(address).hostname);
  if (tls.is === 'files') return tlsFromFiles({ certFile: tls.cert, keyFile: tls.key, name: advertised });
  // An in-memory network has files of its own, because clients of a network in a database trust another root.
  const folder = resolve(network.folder, network.isKept ? 'pki' : 'pki-memory');
  let authority = await authorityOf(network, folder);
  let readAt = Date.now();
  const names = [...certifiedNames(host, advertised), ...(routerAddress === undefined ? [] : [hostOfRouters(routerAddress)])];
  const ensure = async (now: Date, known?: KeyPair): Promise<ServedPair> =>
    (await adoptedPair(folder, authority, advertised, now)) ?? ensureServerCertificate(folder, authority, [...new Set(names)], now, known);
  const { rootFile, server } = await ensure(new Date());
  let inUse = server;
  return {
    pair: server,
    alternatives: authority.alternatives,
    pki: { serverCertificate: () => inUse },
    trust: { file: rootFile, label: 'root certificate' },
    reload: async (now, trigger) => {
      if (trigger === 'requested' || now.getTime() - readAt >= READ_AUTHORITY_MS) {
        authority = await authorityOf(network, folder);
        readAt = now.getTime();
      }
      const { server: latest, serverFile, isRestored } = await ensure(now, inUse);
      if (isRestored) throw new StartFailure(`${serverFile} contained no usable certificate, and was overwritten with the one in use`);
      if (latest.cert === inUse.cert) return undefined;
      inUse = latest;
      return { pair: latest };
    },
  };
};

/** Interval at which the authority in the database, which another machine may have rotated, is read again. */
const READ_AUTHORITY_MS = 600_000;

type ServedPair = Pick<ServerPki, 'rootFile' | 'server'> & Partial<ServerPki>;

/** The former server certificate of an adopted network, while it is still presented, if it covers the name that clients use. */
const adoptedPair = async (folder: string, authority: NetworkAuthority, name: string, now: Date): Promise<ServedPair | undefined> => {
  const { adoptedServer } = authority;
  if (!adoptedServer || adoptedServer.until <= now.getTime() || !covers(adoptedServer.cert, name)) return undefined;
  const { key, cert } = adoptedServer;
  return { ...(await ensureRootFile(folder, authority)), server: { key, cert } };
};

/** The authority in the database, imported from the folder if an earlier version kept it there. */
const authorityOf = async ({ storage, secretKey, isKept }: ServedNetwork, folder: string): Promise<NetworkAuthority> => {
  const former = isKept ? await authorityIn(folder) : await ensureAuthority(folder, new Date());
  return networkAuthority({ storage, secretKey, former });
};

/** The files of `--tls CERT,KEY`. */
interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The name under which clients reach the server. */
  readonly name: string;
}

const tlsFromFiles = async (files: PairFiles): Promise<Tls> => {
  const { certFile, keyFile } = files;
  const read = async () => {
    const [cert, key] = [readText(certFile), readText(keyFile)];
    return { cert, key, ...pairOf(cert, key, files) };
  };
  let inUse = await read();
  const { pair, warning } = inUse;
  return {
    pair,
    alternatives: [],
    ...(warning ? { warning } : {}),
    pki: { serverCertificate: () => inUse.pair, bundle: () => inUse.cert },
    trust: { file: resolve(certFile), label: 'certificate' },
    reload: async (now) => {
      const latest = await read();
      if (latest.cert === inUse.cert && latest.key === inUse.key) return undefined;
      const { validTo } = new X509Certificate(latest.cert);
      if (Date.parse(validTo) <= now.getTime()) throw new StartFailure(`the certificate in ${certFile} has expired, on ${validTo}`);
      inUse = latest;
      return latest;
    },
  };
};

/** @throws StartFailure that names the invalid file, or reports that the two do not match */
const pairOf = (cert: string, key: string, { certFile, keyFile, name }: PairFiles): Renewed => {
  const fault = faultOfPair(key, cert);
  if (fault === 'cert') throw new StartFailure(`${certFile} contains no certificate in PEM`);
  if (fault === 'key') throw new StartFailure(`${keyFile} contains no private key in PEM without a passphrase`);
  if (fault === 'pair') throw new StartFailure(`the key in ${keyFile} does not belong to the certificate in ${certFile}`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new StartFailure(`TLS cannot use the certificates in ${certFile}: ${sentenceOf(error)}`);
  }
  const coveredNames = new X509Certificate(cert).subjectAltName ?? 'no name';
  const pair = { cert, key: toPkcs8(key) };
  if (covers(cert, name)) return { pair };
  const consequence = `clients that connect to ${name} will refuse it`;
  return { pair, warning: `the certificate in ${certFile} is not for ${name} but for ${coveredNames}: ${consequence}` };
};
