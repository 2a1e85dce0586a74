import { identityOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { authenticator } from '../../contract/api/authenticators.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, unauthorized } from '../../contract/errors/index.ts';
import { beginsWith, type Certificate, certificatesPem, readCertificates } from '../../crypto/pki/certificate.ts';
import { clientProfile, issue } from '../../crypto/pki/issue.ts';
import { readPresented } from '../../crypto/pki/presented.ts';
import { readRequest } from '../../crypto/pki/request.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { networkFor } from '../cas/trust.ts';

type Row = RowOf<typeof authenticator>;

export interface AuthenticatorInput {
  readonly id: string;
}

/** Fields of an authenticator without a requested or pending extension. */
const NO_EXTENSION: Pick<Row, 'isExtendRequested' | 'isKeyRollRequested' | 'extendRequestedAt' | 'unverifiedCertPem'> = {
  isExtendRequested: false,
  isKeyRollRequested: false,
  extendRequestedAt: null,
  unverifiedCertPem: null,
};

/** Asks the client to extend its certificate. The answer to its next login contains the request. */
export const requestExtension = async (
  call: Call,
  { id, body: { rollKeys = false } = {} }: AuthenticatorInput & { readonly body?: { readonly rollKeys?: boolean | undefined } },
) => {
  await call.write(async (entities) => {
    const row = await entities.require(authenticator, id);
    if (row.method !== 'cert') throw unauthorized('only a certificate can be extended');
    if (!row.isIssuedByNetwork) throw notExtendable('only a certificate that this network issued can be extended');
    await entities.update(authenticator, row, { isExtendRequested: true, isKeyRollRequested: rollKeys, extendRequestedAt: call.now() });
  });
  return {};
};

/** Issues a certificate to replace the presented one, which remains valid until the client confirms the new one. */
export const extend = async (
  call: Call,
  { id, body: { clientCertCsr } }: AuthenticatorInput & { readonly body: { readonly clientCertCsr: string } },
) => {
  const presented = await readPresented(call.peerCertificates);
  const current = await call.read((entities) => ownCertificate(entities, call, id));
  const { random, clock } = call.core.platform;
  const signer = await call.core.pki.signer();
  const now = clock.now();
  if (!presented || !isCurrent(current, presented.leaf))
    throw unauthorized('present the certificate of this authenticator in the TLS handshake');
  if (!(await networkFor(presented, signer, { now, ignoreValidity: 'all' })))
    throw unauthorized('the certificate was not issued by this network');
  const request = await readRequest(clientCertCsr);
  if (!request) throw new ApiError('COULD_NOT_PROCESS_CSR');
  const issued = await call.core.enrollments.run(() => issue(clientProfile(request, now, presented.leaf), signer, random), call);
  const clientCert = certificatesPem([issued, ...signer.chain]);
  await call.write(async (entities) => {
    const row = await ownCertificate(entities, call, id);
    if (!isCurrent(row, presented.leaf)) throw unauthorized('the presented certificate is not the current one of this authenticator');
    await entities.update(authenticator, row, { unverifiedCertPem: clientCert });
  });
  return { ca: certificatesPem(signer.bundle), clientCert };
};

/** Replaces the old certificate with the new one, and revokes the old one. */
export const confirmExtension = async (
  call: Call,
  { id, body: { clientCert } }: AuthenticatorInput & { readonly body: { readonly clientCert: string } },
) => {
  const { value: [certificate] = [] } = await readCertificates(clientCert);
  await call.write(async (entities) => {
    const row = await ownCertificate(entities, call, id);
    const { unverifiedCertPem: pending, certPem } = row;
    if (pending === null || certPem === null) throw notExtendable('there is no new certificate to confirm');
    if (!certificate || !beginsWith(pending, certificate)) throw new ApiError('INVALID_CLIENT_CERT');
    const { value: [old] = [] } = await readCertificates(certPem);
    await entities.update(authenticator, row, {
      ...NO_EXTENSION,
      certPem: pending,
      fingerprint: certificate.fingerprint,
      lastExtendRolledKeys: !old?.parsed.publicKey.equal(certificate.parsed.publicKey),
    });
  });
  return {};
};

/** Requires an authenticator of the session's own identity, with a certificate that the network issued. */
const ownCertificate = async (entities: Entities, call: Call, id: string): Promise<Row> => {
  const row = await entities.require(authenticator, id);
  if (row.method !== 'cert') throw notExtendable('only a certificate can be extended');
  if (row.identityId !== identityOf(call.actor).id) throw unauthorized('this authenticator belongs to another identity');
  if (!row.isIssuedByNetwork) throw notExtendable('only a certificate that this network issued can be extended');
  return row;
};

const isCurrent = ({ certPem }: Row, certificate: Certificate): boolean => certPem !== null && beginsWith(certPem, certificate);

const notExtendable = (message: string): ApiError =>
  new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR', { cause: { code: 'UNHANDLED', message } });
