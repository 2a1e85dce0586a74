import { createPrivateKey, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { type KeyPair, type NetworkAuthority, networkAuthority, type PkiOptions, type StorageAdapter } from '../src/index.ts';
import { certifiedNames, hostInUrl, namesOf } from './addresses.ts';
import { StartFailure } from './failure.ts';
import { readIfThere } from './files.ts';
import type { ServerOptions } from './options.ts';
import { authorityIn, belongTogether, covers, keepAuthority, keepServer } from './pki.ts';

/** The server's TLS credentials. */
export interface Tls {
  readonly pair: KeyPair;
  /** For the controller: what it signs with, so that clients which enroll get to trust this server. */
  readonly pki: PkiOptions;
  /** The root certificate for clients, as a file for `curl --cacert`, and its description. */
  readonly trust: { readonly file: string; readonly label: string };
  /** Warnings for the operator. */
  readonly warning?: string;
  /** Another pair, once that in use ends soon; undefined while there is nothing to renew. */
  renewed(now: Date): Promise<KeyPair | undefined>;
}

/** The network that the server is of. */
export interface Network {
  readonly storage: StorageAdapter;
  readonly secretKey: readonly string[] | undefined;
  /** Where the server keeps its files. */
  readonly folder: string;
  /** Whether it is there after the server's end. */
  readonly isKept: boolean;
}

/** @throws StartFailure when there is no certificate to be had */
export const prepareTls = async (
  { tls, host, address }: Pick<ServerOptions, 'tls' | 'host' | 'address'>,
  network: Network,
): Promise<Tls | undefined> => {
  if (tls.is === 'off') return undefined;
  const advertised = address === undefined ? namesOf(host).advertised : hostInUrl(new URL(address).hostname);
  if (tls.is === 'files') return givenFiles(tls.cert, tls.key, advertised);
  // Apart from those of a database, whose clients trust another root.
  const folder = resolve(network.folder, network.isKept ? 'pki' : 'pki-memory');
  const authority = await authorityOf(network, folder);
  const keep = (now: Date) => keepServer(folder, authority, certifiedNames(host, advertised), now);
  const { rootFile, server } = await keep(new Date());
  let inUse = server;
  return {
    pair: server,
    pki: { serverCertificate: () => inUse },
    trust: { file: rootFile, label: 'root certificate' },
    renewed: async (now) => {
      const { server: latest } = await keep(now);
      if (latest.cert === inUse.cert) return undefined;
      inUse = latest;
      return latest;
    },
  };
};

/** Kept in the database. What an earlier version kept in the folder is taken over. */
const authorityOf = async ({ storage, secretKey, isKept }: Network, folder: string): Promise<NetworkAuthority> => {
  const former = isKept ? await authorityIn(folder) : await keepAuthority(folder, new Date());
  return networkAuthority({ storage, secretKey, former });
};
const givenFiles = async (certFile: string, keyFile: string, name: string): Promise<Tls> => {
  const cert = await readGiven(certFile);
  const key = await readGiven(keyFile);
  const fault = belongTogether(key, cert);
  if (fault === 'cert') throw new StartFailure(`${certFile} holds no certificate in PEM`);
  if (fault === 'key') throw new StartFailure(`${keyFile} holds no private key in PEM without a passphrase`);
  if (fault === 'pair') throw new StartFailure(`the key in ${keyFile} is not the key of the certificate in ${certFile}`);
  const warning = covers(cert, name)
    ? undefined
    : `the certificate in ${certFile} is not for ${name} but for ${new X509Certificate(cert).subjectAltName ?? 'no name at all'}: clients that reach the server as ${name} will refuse it`;
  // The forms of private keys are many; the controller knows one.
  const pair = { cert, key: createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }).toString() };
  return {
    pair,
    pki: { serverCertificate: () => pair, bundle: cert },
    trust: { file: resolve(certFile), label: 'certificate' },
    ...(warning ? { warning } : {}),
    renewed: async () => undefined,
  };
};

const readGiven = async (file: string): Promise<string> => {
  const text = await readIfThere(file);
  if (text === undefined) throw new StartFailure(`cannot read ${file}: there is no such file or folder`);
  return text;
};
