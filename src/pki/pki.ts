import { type KeyPair, type NetworkKey, openNetworkKey } from './network-key.ts';
import { openSigner, type Signer, type SignerOptions } from './signer.ts';

/** The signing keys of one controller. Each is read on first use, and only once. */
export interface Pki {
  /** Signs certificates. @throws TypeError when the host's configuration is inconsistent */
  signer(): Promise<Signer>;
  /** Signs the network's JWTs with the current server key. @throws TypeError likewise */
  networkKey(): Promise<NetworkKey>;
}

export interface PkiSources {
  /** Called once. */
  readonly signer: () => SignerOptions | Promise<SignerOptions>;
  /** Called each time, because it is renewed while the server runs. */
  readonly serverCertificate: () => KeyPair | Promise<KeyPair>;
  /** PEM. */
  readonly bundle?: string | undefined;
}

/** As hosts say it, in whole or in part. */
export interface PkiOptions {
  /**
   * The authority that signs certificates of clients and routers, or a way to get it, which is asked once, when it is first needed.
   * Default: one that the controller makes for a new network and keeps in the store, sealed.
   */
  readonly pki?: SignerOptions | PkiSources['signer'];
  /**
   * Certificate and key of the server behind `settings.address`, called each time, because they may be renewed. JWTs are signed with this key,
   * because clients verify them with the certificate that they see there. Default: a key of the controller's own, which clients can verify only if
   * they are configured with it.
   */
  readonly serverCertificate?: PkiSources['serverCertificate'];
  /** PEM: authorities that clients shall trust beside the roots of `pki`, e.g. that of the server's certificate. */
  readonly bundle?: string | undefined;
}

/** The host's sources, completed by the controller's own authority, which is created only if needed. */
export const pkiSources = async ({ pki, serverCertificate, bundle }: PkiOptions, own: () => Promise<PkiSources>): Promise<PkiSources> => {
  const signer = pki && (typeof pki === 'function' ? pki : () => pki);
  if (signer && serverCertificate) return { signer, serverCertificate, bundle };
  const kept = await own();
  return { signer: signer ?? kept.signer, serverCertificate: serverCertificate ?? kept.serverCertificate, bundle };
};

export const createPki = ({ signer, serverCertificate, bundle }: PkiSources): Pki => {
  let opened: Promise<Signer> | undefined;
  let network: { readonly pair: KeyPair; readonly key: Promise<NetworkKey> } | undefined;
  return {
    signer: () => {
      opened ??= Promise.resolve(signer()).then((options) => openSigner(options, bundle));
      opened.catch(() => {
        opened = undefined; // the host may have mended it meanwhile
      });
      return opened;
    },
    networkKey: async () => {
      const pair = await serverCertificate();
      if (network?.pair.cert !== pair.cert || network.pair.key !== pair.key) network = { pair, key: openNetworkKey(pair) };
      return network.key;
    },
  };
};
