/** The authority of a network, in its stored form. */

import type { KnownController } from '../../contract/wire/known-controller.ts';
import { readFirstCertificate } from '../../crypto/pki/authority-text.ts';
import type { KeyPair } from '../../crypto/pki/network-key.ts';
import type { EntitiesContext } from '../../store/entities/entities.ts';

/** A signer, and the roots that clients must trust. */
export interface Generation {
  /** The root above the signer; undefined if its key is elsewhere. */
  readonly root?: KeyPair;
  /** Signs the certificates of clients and routers. Its certificate is followed by intermediates, if any. */
  readonly signer: KeyPair;
  /** Roots of former authorities, with their keys. */
  readonly further?: readonly KeyPair[];
  /** PEM of each root whose key is elsewhere. The first is the root of the signer. */
  readonly roots?: readonly string[];
}

/** The generation that replaces the current one. */
export interface NextGeneration extends Generation {
  /** When it begins to sign. ms since 1970 */
  readonly from: number;
  /** When the last known certificate of the previous generation expires; adopted ones may be valid for more than a year. ms since 1970 */
  readonly formerUntil?: number;
}

/** A generation that no longer signs certificates of clients. Its roots are omitted if the next generation has them, too. */
export interface RetiredGeneration extends Partial<Generation> {
  readonly signer: KeyPair;
  /** When the last certificate that it signed expires. ms since 1970 */
  readonly until: number;
  /**
   * When it stops issuing server certificates, which clients need until they have renewed their certificates, and so received a newer root.
   * ms since 1970; undefined if it has stopped
   */
  readonly serversUntil?: number | undefined;
}

export interface StoredAuthority extends Generation {
  /** The network key with a certificate, for hosts that supply no server certificate. */
  readonly server: KeyPair;
  /** When to renew the signer. ms since 1970 */
  readonly renewAt: number;
  /** Default: the fingerprint of the first root. */
  readonly trustDomain?: string;
  /** Set if `server` is an adopted certificate, which servers present until it is replaced. */
  readonly adoptedServer?: { readonly keepUntil: number };
  /** The controller that this network was adopted from, as routers know it. */
  readonly controller?: KnownController;
  /** Adopted server certificates, for clients that request one of their names. */
  readonly alternatives?: readonly KeyPair[];
  /** Its roots are already trusted. It signs once every controller and router has received them. */
  readonly next?: NextGeneration;
  /** They no longer sign, and are trusted until their last certificates have expired. */
  readonly retired?: readonly RetiredGeneration[];
  /** Fingerprints of roots that are no longer trusted, and must not be imported again. */
  readonly dropped?: readonly string[];
}

/** The id of the stored authority. */
export const AUTHORITY = 'authority';

export type IssueContext = Pick<EntitiesContext, 'random'> & {
  /** ms */
  readonly now: number;
};

/** The roots of a generation, in PEM. The first is the root of its signer. */
export const rootsOf = ({ root, further = [], roots = [] }: Partial<Generation>): readonly string[] => [
  ...(root ? [root.cert] : []),
  ...further.map(({ cert }) => cert),
  ...roots,
];

/** All roots that clients of the network trust, in PEM: current ones, then next ones, then retired ones. */
export const trustedRoots = (authority: StoredAuthority): readonly string[] => [
  ...new Set([authority, ...(authority.next ? [authority.next] : []), ...(authority.retired ?? [])].flatMap(rootsOf)),
];

/** When the certificate of a pair expires. ms since 1970 */
export const notAfterOf = async ({ cert }: KeyPair): Promise<number> => (await readFirstCertificate(cert))?.notAfter ?? 0;
export const fingerprintIn = async (pem: string): Promise<string> => (await readFirstCertificate(pem))?.fingerprint ?? '';

/** The subject of a certificate, for the log. */
export const subjectIn = async (pem = ''): Promise<string> => (await readFirstCertificate(pem))?.subject ?? '';
