/** The authority of a network as its store keeps it. */
import type { EntitiesContext } from '../entities/entities.ts';
import { firstCertificateIn } from '../pki/authority-text.ts';
import type { KeyPair } from '../pki/network-key.ts';
import type { KnownController } from '../wire/known-controller.ts';

/** A signer, and the roots that clients trust because of it. */
export interface Generation {
  /** The root above the signer; undefined if its key is elsewhere. */
  readonly root?: KeyPair;
  /** Signs the certificates of clients and routers. Those above it, if any, follow its certificate. */
  readonly signer: KeyPair;
  /** Roots of former authorities, with their keys. */
  readonly further?: readonly KeyPair[];
  /** PEM of each root whose key is elsewhere; that of the signer is the first. */
  readonly roots?: readonly string[];
}

/** The generation that takes over. */
export interface NextGeneration extends Generation {
  /** It signs from then on. ms */
  readonly from: number;
  /** When the last certificate of the generation before ends, as far as is known: adopted ones may outlast a year. ms */
  readonly formerUntil?: number;
}

/** A generation that signs the certificates of clients no more. Its roots are missing if the next one has them, too. */
export interface RetiredGeneration extends Partial<Generation> {
  readonly signer: KeyPair;
  /** When the last certificate below it ends. ms */
  readonly until: number;
  /** It issues the certificates of servers until then: clients that have not renewed their certificates know no other root. ms; undefined: no more */
  readonly serversUntil?: number | undefined;
}

export interface StoredAuthority extends Generation {
  /** The network key with a certificate, for hosts that supply no server certificate. */
  readonly server: KeyPair;
  /** When to renew the signer. ms */
  readonly renewAt: number;
  /** Default: the fingerprint of the first root. */
  readonly trustDomain?: string;
  /** Set if `server` is a certificate from outside, which servers present until it is due. */
  readonly adoptedServer?: { readonly keepUntil: number };
  /** As routers knew the controller that this network was adopted from. */
  readonly controller?: KnownController;
  /** Server certificates from outside, for clients that ask for one of their names. */
  readonly alternatives?: readonly KeyPair[];
  /** Its roots are trusted already; it signs from then on, when every controller and router knows them. ms */
  readonly next?: NextGeneration;
  /** They sign nothing any more, and are trusted until their last certificates have ended. ms */
  readonly retired?: readonly RetiredGeneration[];
  /** Fingerprints of roots that are trusted no more, and must not come back from a folder. */
  readonly dropped?: readonly string[];
}

/** The id under which the store keeps it. */
export const AUTHORITY = 'authority';

export type IssueContext = Pick<EntitiesContext, 'random'> & {
  /** ms */
  readonly now: number;
};

/** The roots of a generation, in PEM: the first one is that of its signer. */
export const rootsOf = ({ root, further = [], roots = [] }: Partial<Generation>): readonly string[] => [
  ...(root ? [root.cert] : []),
  ...further.map(({ cert }) => cert),
  ...roots,
];

/** All roots that clients of the network trust, in PEM: those in use first, then those to come, then retired ones. */
export const trustedRoots = (authority: StoredAuthority): readonly string[] => [
  ...new Set([authority, ...(authority.next ? [authority.next] : []), ...(authority.retired ?? [])].flatMap(rootsOf)),
];

/** When the certificate of a pair ends. ms */
export const notAfterOf = async ({ cert }: KeyPair): Promise<number> => (await firstCertificateIn(cert))?.notAfter ?? 0;
export const fingerprintIn = async (pem: string): Promise<string> => (await firstCertificateIn(pem))?.fingerprint ?? '';

/** The subject of a certificate, for the log. */
export const subjectIn = async (pem = ''): Promise<string> => (await firstCertificateIn(pem))?.subject ?? '';
