import type { RowOf } from '../../../api/kit/index.ts';
import { router } from '../../../api/routers.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError } from '../../../errors/index.ts';
import { type Certificate, certificatesPem } from '../../../pki/certificate.ts';
import { clientProfile, issue, type Profile, serverProfile } from '../../../pki/issue.ts';
import { readPresented } from '../../../pki/presented.ts';
import { type CertificateRequest, readRequest } from '../../../pki/request.ts';
import type { Signer } from '../../../pki/signer.ts';
import { equals, stringField } from '../../../query/index.ts';
import { networkFor } from '../../directory/cas/trust.ts';
import { claim, routerNames } from './server-names.ts';

/** The certificate fields of a router of either kind. */
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
  /** By which the router proves itself from now on. */
  readonly certificate: Certificate;
  /** PEM: the certificate, then those above it, without the root. */
  readonly cert: string;
  readonly serverCert: string;
  /** The fields of the row, in the transaction that stores the certificates. @throws ApiError `CONFLICT` when another router has taken a name in between */
  claim(entities: Entities): Promise<Partial<RowOf<typeof router>>>;
}

/**
 * Issues the two certificates of a router: one by which it proves itself, with the names of its request, and one for its server, with those names
 * and addresses of its request that it may have.
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
  if (!own || !server || !mayBe(router, own, signer)) throw new ApiError('COULD_NOT_PROCESS_CSR');
  const now = platform.clock.now();
  const commonNames = server.subject.getField('CN');
  const names = await call.read((entities) => routerNames(entities, call.core, router, { own, server, commonNames }));
  const serverSubject = names.keepsCommonName ? server.subject : subjectOf(router, { ...server, commonName: undefined });
  const [certificate, serverCertificate] = await Promise.all([
    issue(clientProfile({ ...own, subject: subjectOf(router, own) }, now, own), signer, platform.random),
    issue(serverProfile({ ...server, subject: serverSubject }, now, names.server), signer, platform.random),
  ]);
  const pem = (leaf: Certificate) => certificatesPem([leaf, ...signer.chain]);
  return {
    certificate,
    cert: pem(certificate),
    serverCert: pem(serverCertificate),
    claim: (entities) => claim(entities, call.core, router, names),
  };
};

/** An edge router says who it is. No router takes a name that the network gives to others: those of sessions stand for their identities. */
const mayBe = ({ id, isEdgeRouter }: CertifiedRouter, { commonName, uris }: CertificateRequest, { trustDomain }: Signer): boolean => {
  if (isEdgeRouter && commonName !== id) return false;
  const network = `spiffe://${trustDomain}`.toLowerCase();
  // A longer name of a domain is that of another.
  return !uris.some((uri) => uri.toLowerCase().startsWith(network) && !/^[a-z0-9._-]/i.test(uri.slice(network.length)));
};

/** The subject of the request. A plain router that asks for another common name than its id gets its id, and keeps the names of its organisation. */
const subjectOf = ({ id }: CertifiedRouter, { subject, commonName }: CertificateRequest): Profile['subject'] =>
  commonName === id ? subject : [...['O', 'OU'].flatMap((key) => textsOf(subject, key).map((value) => ({ [key]: [value] }))), { CN: [id] }];

/** But for what the library would take for hex. */
const textsOf = (subject: CertificateRequest['subject'], key: string): readonly string[] =>
  subject.getField(key).filter((value) => value !== '' && !value.startsWith('#'));

/**
 * The certificate that a router proves itself by: issued by the network, for clients, and valid now.
 * @param peerCertificates DER, leaf first, as they came in the TLS handshake
 */
export const provenRouter = async (
  { pki, platform }: Pick<Core, 'pki' | 'platform'>,
  peerCertificates: readonly Uint8Array[],
): Promise<Certificate | undefined> => {
  const presented = await readPresented(peerCertificates);
  const now = platform.clock.now();
  if (!presented || now < presented.leaf.notBefore || now > presented.leaf.notAfter) return undefined;
  // The dates of the network's own authorities end no certificate before its time.
  return (await networkFor(presented, await pki.signer(), { now, ignoreValidity: 'all' })) && presented.leaf;
};

/** The router, of either kind, whose current certificate it is. */
export const routerOf = (
  entities: Entities,
  { fingerprint }: Pick<Certificate, 'fingerprint'>,
): Promise<RowOf<typeof router> | undefined> => entities.find(router, equals(stringField('fingerprint'), fingerprint));
