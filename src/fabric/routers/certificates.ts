import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { router } from '../../contract/api/routers.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { type Certificate, certificatesPem } from '../../crypto/pki/certificate.ts';
import { clientProfile, issue, type Profile, serverProfile } from '../../crypto/pki/issue.ts';
import { readPresented } from '../../crypto/pki/presented.ts';
import { type CertificateRequest, readRequest } from '../../crypto/pki/request.ts';
import type { Signer } from '../../crypto/pki/signer.ts';
import { networkFor } from '../../identity/cas/trust.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { claim, routerNames } from './server-names.ts';

/** The fields of a router, of either kind, that its certificates depend on. */
export interface CertifiedRouter {
  readonly id: string;
  readonly name: string;
  readonly isEdgeRouter: boolean | null;
}

export interface RouterRequests {
  readonly certCsr: string;
  readonly serverCertCsr: string;
}

export interface RouterCertificates {
  /** The certificate with which the router authenticates from now on. */
  readonly certificate: Certificate;
  /** PEM: the certificate and its chain, without the root. */
  readonly cert: string;
  readonly serverCert: string;
  /**
   * The fields of the row, for the transaction that stores the certificates.
   * @throws ApiError `CONFLICT` if another router has claimed one of the names in the meantime
   */
  claim(entities: Entities): Promise<Partial<RowOf<typeof router>>>;
}

/**
 * Issues the two certificates of a router: one with which it authenticates, with the names in its request, and one for its server, with
 * those names and addresses in its request that it is allowed to have.
 * @throws ApiError `COULD_NOT_PROCESS_CSR`
 */
export const certifyRouter = async (
  call: Pick<Call, 'core' | 'read'>,
  router: CertifiedRouter,
  requests: RouterRequests,
): Promise<RouterCertificates> => {
  const [own, server] = await Promise.all([readRequest(requests.certCsr), readRequest(requests.serverCertCsr)]);
  const { pki, platform } = call.core;
  const signer = await pki.signer();
  if (!own || !server || !isAcceptable(router, own, signer)) throw new ApiError('COULD_NOT_PROCESS_CSR');
  const now = platform.clock.now();
  const commonNames = server.subject.getField('CN');
  const names = await call.read((entities) => routerNames(entities, call.core, router, { own, server, commonNames }));
  const serverSubject = names.keepsCommonName ? server.subject : subjectOf(router, { ...server, commonName: undefined });
  const [certificate, serverCert] = await Promise.all([
    issue(clientProfile({ ...own, subject: subjectOf(router, own) }, now, own), signer, platform.random),
    issue(serverCertificate({ ...server, subject: serverSubject }, now, names.server, signer.servers), signer.servers, platform.random),
  ]);
  const pem = (leaf: Certificate, { chain }: Pick<Signer, 'chain'>) => certificatesPem([leaf, ...chain]);
  return {
    certificate,
    cert: pem(certificate, signer),
    serverCert: pem(serverCert, signer.servers),
    claim: (entities) => claim(entities, call.core, router, names),
  };
};

/** Expires no later than the trust in its issuer. */
const serverCertificate = (
  requested: Parameters<typeof serverProfile>[0],
  now: number,
  names: Parameters<typeof serverProfile>[2],
  { until }: Pick<Signer['servers'], 'until'>,
): Profile => {
  const profile = serverProfile(requested, now, names);
  return { ...profile, notAfter: Math.min(profile.notAfter, until) };
};

/**
 * An edge router must request its id as common name. No router may have a SPIFFE ID of the network, because those of sessions identify
 * identities.
 */
const isAcceptable = (
  { id, isEdgeRouter }: CertifiedRouter,
  { commonName, uris }: CertificateRequest,
  { trustDomain }: Signer,
): boolean => {
  if (isEdgeRouter && commonName !== id) return false;
  const network = `spiffe://${trustDomain}`.toLowerCase();
  // A longer domain that starts with the trust domain is a different one.
  return !uris.some((uri) => uri.toLowerCase().startsWith(network) && !/^[a-z0-9._-]/i.test(uri.slice(network.length)));
};

/** The subject of the request. A plain router that requests a common name other than its id gets its id, and keeps `O` and `OU`. */
const subjectOf = ({ id }: CertifiedRouter, { subject, commonName }: CertificateRequest): Profile['subject'] =>
  commonName === id ? subject : [...['O', 'OU'].flatMap((key) => textsOf(subject, key).map((value) => ({ [key]: [value] }))), { CN: [id] }];

/** Values of a field, except those that the library would parse as hex. */
const textsOf = (subject: CertificateRequest['subject'], key: string): readonly string[] =>
  subject.getField(key).filter((value) => value !== '' && !value.startsWith('#'));

/**
 * The certificate with which a router authenticates: issued by the network, for clients, and currently valid.
 * @param peerCertificates from the TLS handshake. DER, leaf first
 */
export const provenRouter = async (
  { pki, platform }: Pick<Core, 'pki' | 'platform'>,
  peerCertificates: readonly Uint8Array[],
): Promise<Certificate | undefined> => {
  const presented = await readPresented(peerCertificates);
  const now = platform.clock.now();
  if (!presented || now < presented.leaf.notBefore || now > presented.leaf.notAfter) return undefined;
  // Ignores the validity of the network's own authorities: a certificate does not expire early because an authority does.
  return (await networkFor(presented, await pki.signer(), { now, ignoreValidity: 'all' })) && presented.leaf;
};

/** The router, of either kind, whose current certificate this is. */
export const routerOf = (
  entities: Entities,
  { fingerprint }: Pick<Certificate, 'fingerprint'>,
): Promise<RowOf<typeof router> | undefined> => entities.find(router, equals(stringField('fingerprint'), fingerprint));
