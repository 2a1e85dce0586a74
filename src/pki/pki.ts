import { type KeyPair, type NetworkKey, openNetworkKey } from './network-key.ts';
import { openSigner, type Signer, type SignerOptions } from './signer.ts';

/** What one controller signs with. Nothing is read before it is needed, and nothing twice. */
export interface Pki {
  /** What signs certificates. @throws TypeError when what the host gave does not fit together */
  signer(): Promise<Signer>;
  /** What signs the network's JWTs, as the server's certificate is now. @throws TypeError likewise */
  networkKey(): Promise<NetworkKey>;
}

export interface PkiSources {
  /** Asked once. */
  readonly signer: () => SignerOptions | Promise<SignerOptions>;
  /** Asked each time, for it is renewed while the server runs. */
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
   * Certificate and key of the server behind `settings.address`, asked for each time, as they are renewed. JWTs are signed with this key, for clients
   * verify them by the certificate that they see there. Default: a key of the controller's own, which only clients that are told of it can verify.
   */
  readonly serverCertificate?: PkiSources['serverCertificate'];
  /** PEM: authorities that clients shall trust beside the roots of `pki`, e.g. that of the server's certificate. */
  readonly bundle?: string | undefined;
}

/** What the host brings, and the controller's own for the rest, which is made only if there is a rest. */
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
