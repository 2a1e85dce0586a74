import type { Bytes } from '../platform/platform.ts';
import { authorityCertificates } from './authority-text.ts';
import type { Certificate } from './certificate.ts';
import { validateChain } from './chain.ts';
import { element, SEQUENCE, SET } from './der.ts';
import { unknownCriticalText } from './faults.ts';
import { foreignKeyHolder, type KeyHolder, keyHolder } from './keys.ts';
import { base64Lines } from './pem.ts';

/** 1.2.840.113549.1.7.1 */
const DATA = Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01);
/** 1.2.840.113549.1.7.2 */
const SIGNED_DATA = Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02);
const VERSION_1 = Uint8Array.of(0x02, 0x01, 0x01);
/** `[0]`, the tag of a content and of the certificates. */
const CONTEXT_0 = 0xa0;

/**
 * Certificates as a certificates-only message of CMS (PKCS#7): unsigned, and without a content, not even an empty one, which some parsers take for the
 * certificates (RFC 7030, section 4.1.3; RFC 5652, section 5.2). DER in base64 lines; the certificates are sorted, as a set is in DER.
 */
export const certsOnly = (certificates: readonly Certificate[]): string => {
  const [none, content] = [element(SET), element(SEQUENCE, DATA)];
  const signedData = element(SEQUENCE, VERSION_1, none, content, element(CONTEXT_0, ...certificates.map(({ der }) => der)), none);
  return `${base64Lines(element(SEQUENCE, SIGNED_DATA, element(CONTEXT_0, signedData)))}\n`;
};

/** The authority that signs certificates for clients and routers, as a host supplies it. */
export interface SignerOptions {
  /** PEM: the authority's certificate, then those above it, without the root. */
  readonly certificates: string;
  /** PEM: the roots of the network. */
  readonly anchors: string;
  /**
   * The authority's private key in PEM: PKCS#8, PKCS#1 or SEC 1; or a function that signs bytes, as `crypto.subtle.sign` would (SHA-2 of the curve's size; RSA:
   * PKCS#1 v1.5 with SHA-256).
   */
  readonly key: string | ((bytes: Bytes) => Promise<Bytes>);
  /** Trust domain of the SPIFFE ids in session certificates. Default: the fingerprint of the first root. */
  readonly trustDomain?: string;
}

/** The authority that a network keeps in its store. */
export interface KeptSignerOptions extends SignerOptions {
  /** PEM: authorities whose certificates are accepted even without the chain above them: signers of before, and the one to come. */
  readonly others?: string | undefined;
  /** PEM: authorities that clients should trust in addition to the roots. */
  readonly bundle?: string | undefined;
  /** Signs the server certificates of routers, in place of the signer: clients may not know its root yet. They end at `until`, ms, at the latest. */
  readonly servers?: (Pick<SignerOptions, 'certificates'> & { readonly key: string; readonly until: number }) | undefined;
}

/** What issues the server certificates of routers. */
export interface ServerSigner extends Pick<Signer, 'certificate' | 'holder' | 'chain'> {
  /** When they end at the latest. ms */
  readonly until: number;
}

/** A validated signing authority, ready for use. */
export interface Signer {
  readonly certificate: Certificate;
  readonly holder: KeyHolder;
  /** The chain above a certificate that it signed: its own certificate and those above it, without the root. */
  readonly chain: readonly Certificate[];
  /** Other authorities of the network below its roots, whose certificates clients may present without the chain. */
  readonly others: readonly Certificate[];
  readonly anchors: readonly Certificate[];
  /** The certificates that clients should trust. */
  readonly bundle: readonly Certificate[];
  /** The bundle as certs-only PKCS#7. */
  readonly certsOnly: string;
  readonly servers: ServerSigner;
  readonly trustDomain: string;
}

/**
 * @param bundle PEM: certificates that clients should trust in addition to the roots
 * @throws TypeError that names the invalid option
 */
export const openSigner = async (options: KeptSignerOptions, bundle?: string): Promise<Signer> => {
  const ifGiven = (name: string, pem: string | undefined) => (pem === undefined ? [] : certificatesOf(name, pem));
  const [above, anchors, others, inBundle, ofHost] = await Promise.all([
    certificatesOf('certificates', options.certificates),
    certificatesOf('anchors', options.anchors),
    ifGiven('others', options.others),
    ifGiven('bundle', options.bundle),
    ifGiven('bundle', bundle),
  ]);
  const [certificate, ...rest] = above;
  const [root] = anchors;
  if (!certificate || !root) throw new TypeError('the signer of certificates must have a certificate and a root');
  if (!certificate.isCa) throw new TypeError(`the signer's certificate, of ${certificate.subject}, is not that of an authority`);
  const [unknown] = certificate.unknownCritical;
  if (unknown !== undefined)
    throw new TypeError(`the signer's certificate, of ${certificate.subject}, has ${unknownCriticalText(unknown)}`);
  const isAnchor = (one: Certificate) => anchors.some(({ fingerprint }) => fingerprint === one.fingerprint);
  const { fault } = await validateChain(certificate, { anchors, intermediates: rest, now: 0, ignoreValidity: 'all' });
  if (fault && !isAnchor(certificate))
    throw new TypeError(`no chain leads from the signer's certificate, of ${certificate.subject}, to one of its roots`);
  // Only authorities and self-signed certificates can be a client's trust anchors.
  const trustable = [...inBundle, ...ofHost].filter(({ isCa, subjectKey, issuerKey }) => isCa || subjectKey === issuerKey);
  const trusted = [...new Map([...anchors, ...trustable].map((one) => [one.fingerprint, one])).values()];
  const holder = typeof options.key === 'string' ? await keyHolder(options.key, certificate) : foreignKeyHolder(options.key, certificate);
  const own = { certificate, holder, chain: above.filter((one) => !isAnchor(one)) };
  return {
    ...own,
    servers: (options.servers && (await serverSigner(options.servers, isAnchor))) ?? { ...own, until: Number.POSITIVE_INFINITY },
    others,
    anchors,
    bundle: trusted,
    certsOnly: certsOnly(trusted),
    trustDomain: options.trustDomain ?? root.fingerprint,
  };
};

const serverSigner = async (
  { certificates, key, until }: NonNullable<KeptSignerOptions['servers']>,
  isAnchor: (one: Certificate) => boolean,
): Promise<ServerSigner | undefined> => {
  const above = await certificatesOf('servers', certificates);
  const [certificate] = above;
  return certificate && { certificate, holder: await keyHolder(key, certificate), chain: above.filter((one) => !isAnchor(one)), until };
};

const certificatesOf = (name: string, pem: string): Promise<readonly Certificate[]> =>
  authorityCertificates(`the signer's ${name} must be certificates in PEM`, pem);
