import { type Certificate, readCertificates } from './certificate.ts';
import { type KeyPair, type NetworkKey, openNetworkKey } from './network-key.ts';
import { type KeptSignerOptions, openSigner, type Signer, type SignerOptions } from './signer.ts';

/** The signing keys of a controller. Each is opened on first use, and cached until its source changes. */
export interface Pki {
  /**
   * Signs certificates.
   * @throws TypeError if the host's configuration is inconsistent
   */
  signer(): Promise<Signer>;
  /**
   * Signs the network's JWTs with the current server key.
   * @throws TypeError like `signer`
   */
  networkKey(): Promise<NetworkKey>;
  /** The certificates that servers present, instead of that of the network key, to clients that request one of their names. */
  alternatives(): Promise<readonly Certificate[]>;
}

export interface PkiSources {
  /** Called once, and again after each change of the value of `generation`. */
  readonly signer: () => KeptSignerOptions | Promise<KeptSignerOptions>;
  /** Returns another value when `signer` would return another authority. Default: the authority never changes. */
  readonly generation?: (() => unknown) | undefined;
  /** Called each time, because the certificate may be renewed while the server runs. */
  readonly serverCertificate: () => KeyPair | Promise<KeyPair>;
  /** Further server certificates, for clients that request one of their names. Default: none. */
  readonly alternatives?: (() => readonly KeyPair[]) | undefined;
  /** PEM. A function is called each time, because the bundle may change with the server's certificate. */
  readonly bundle?: string | (() => string) | undefined;
}

/** The keys and certificates that the host supplies. */
export interface PkiOptions {
  /**
   * The authority that signs certificates of clients and routers, or a function that returns it, which is called once, on first use.
   * Default: one that the controller creates for a new network and stores sealed.
   */
  readonly pki?: SignerOptions | (() => SignerOptions | Promise<SignerOptions>);
  /**
   * Returns certificate and key of the server at `settings.address`. Called each time, because they may be renewed. JWTs are signed with
   * this key, because clients verify them with the certificate of that server. Default: a key that the controller creates; clients can
   * verify its signatures only if they are configured with it.
   */
  readonly serverCertificate?: PkiSources['serverCertificate'];
  /**
   * PEM: authorities that clients should trust in addition to the roots of `pki`, e.g. that of the server certificate. A function is called
   * each time, because that authority may be renewed.
   */
  readonly bundle?: PkiSources['bundle'];
}

/** The host's sources, completed by the controller's own authority, which is created only if needed. */
export const pkiSources = async ({ pki, serverCertificate, bundle }: PkiOptions, own: () => Promise<PkiSources>): Promise<PkiSources> => {
  const signer = pki && (typeof pki === 'function' ? pki : () => pki);
  if (signer && serverCertificate) return { signer, serverCertificate, bundle };
  const defaults = await own();
  const signing = signer ? { signer } : { signer: defaults.signer, generation: defaults.generation };
  // Servers present the alternatives in the store even if the host supplies the first certificate.
  const { alternatives } = defaults;
  return { ...signing, serverCertificate: serverCertificate ?? defaults.serverCertificate, alternatives, bundle };
};

export const createPki = ({ signer, generation, serverCertificate, alternatives = () => [], bundle }: PkiSources): Pki => {
  let options: Promise<KeptSignerOptions> | undefined;
  let opened: { readonly bundle: string | undefined; readonly generation: unknown; readonly signer: Promise<Signer> } | undefined;
  let network: { readonly pair: KeyPair; readonly key: Promise<NetworkKey> } | undefined;
  const open = async (latestBundle: string | undefined): Promise<Signer> => {
    options ??= Promise.resolve(signer());
    return openSigner(await options, latestBundle);
  };
  return {
    signer: () => {
      const latest = { bundle: typeof bundle === 'function' ? bundle() : bundle, generation: generation?.() };
      if (opened && opened.bundle === latest.bundle && opened.generation === latest.generation) return opened.signer;
      if (opened?.generation !== latest.generation) options = undefined;
      const opening = { ...latest, signer: open(latest.bundle) };
      opened = opening;
      opening.signer.catch(() => {
        // A failure is not cached, because the host may have fixed its cause by the next call.
        options = undefined;
        if (opened === opening) opened = undefined;
      });
      return opening.signer;
    },
    networkKey: async () => {
      const pair = await serverCertificate();
      if (network?.pair.cert !== pair.cert || network.pair.key !== pair.key) network = { pair, key: openNetworkKey(pair) };
      return network.key;
    },
    alternatives: async () => {
      const read = await Promise.all(alternatives().map(({ cert }) => readCertificates(cert)));
      return read.flatMap(({ value: [certificate] = [] }) => certificate ?? []);
    },
  };
};
