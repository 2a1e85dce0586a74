import type { Call } from '../../call/call.ts';
import { edgeRouter, enrollment, router } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, unauthorized } from '../../contract/errors/index.ts';
import { type Certificate, certificatesPem } from '../../crypto/pki/certificate.ts';
import { addEnrollment, enrolleeOf } from '../../identity/enrollment/behaviour.ts';
import type { EnrollmentMethod } from '../../identity/enrollment/method.ts';
import { tokensOf } from '../../identity/enrollment/token.ts';
import { equals, oneOf, stringField } from '../../query/index.ts';
import { DISABLED } from '../../runtime/presence/connections.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { certifyRouter, provenRouter, type RouterRequests, routerOf } from './certificates.ts';
import { NONE_UNVERIFIED, updateRouter } from './verification.ts';

/** The field by which an enrollment references a router of a kind. */
type Owner = 'edgeRouterId' | 'transitRouterId';

type Unverified = Pick<RowOf<typeof router>, 'id' | 'isVerified'>;

/** The outstanding enrollments of routers without certificates, as shown in their details. Takes one query for a page. */
export const routerEnrollmentsOf = async (
  entities: Entities,
  owner: Owner,
  rows: readonly Unverified[],
  call: Call,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const ids = rows.filter(({ isVerified }) => !isVerified).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await entities.list(enrollment, { where: oneOf(stringField(owner), ids) });
  const tokens = await tokensOf(call, found);
  return new Map(
    found.map((row, i) => {
      const shown = {
        enrollmentCreatedAt: row.createdAt,
        enrollmentExpiresAt: row.expiresAt,
        enrollmentJwt: tokens[i]?.jwt,
        enrollmentToken: tokens[i]?.token,
      };
      return [row[owner] ?? '', shown] as const;
    }),
  );
};

/** Revokes a router's certificate and enrollment, and gives it a new enrollment. Its other fields do not change. */
export const reEnrollRouter = async (call: Call, { id }: { readonly id: string }) => {
  await call.write(async (entities) => {
    const row = await entities.require(edgeRouter, id);
    for (const previous of await entities.list(enrollment, { where: equals(stringField('edgeRouterId'), id) }))
      await entities.remove(enrollment, previous);
    await entities.update(edgeRouter, row, unverified);
    await addEnrollment(entities, call, { edgeRouterId: id, method: 'erott' });
  });
  return {};
};

const unverified = {
  isVerified: false,
  enrolledBy: null,
  fingerprint: null,
  certPem: null,
  ...NONE_UNVERIFIED,
} as const;

/** Enrolls a router, of either kind: issues its certificates. */
export const enrollRouter: EnrollmentMethod = async (call, row, { certCsr, serverCertCsr }) => {
  const [, id] = enrolleeOf(row);
  if (!certCsr || !serverCertCsr) throw new ApiError(row.method === 'erott' ? 'MISSING_OR_INVALID_CSR' : 'COULD_NOT_PROCESS_CSR');
  const found = await call.read((entities) => entities.get(router, id));
  if (!found) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  const { certificate, cert, serverCert, claim } = await certifyRouter(call, found, { certCsr, serverCertCsr });
  const { bundle } = await call.core.pki.signer();
  const verified = { ...NONE_UNVERIFIED, isVerified: true, fingerprint: certificate.fingerprint, enrolledBy: row.id };
  return {
    answer: { ca: certificatesPem(bundle), cert, serverCert },
    // The router exists: deleting it also deletes its enrollment, which was found in this transaction.
    complete: async (entities) =>
      updateRouter(entities, await entities.require(router, id), { ...verified, ...(await claim(entities)) }, { certPem: cert }),
  };
};

/**
 * Issues new certificates to a router that replace the one it presents. Unlike an identity, it does not confirm them: the old one is
 * invalid immediately.
 * @throws ApiError `UNAUTHORIZED` unless the certificate is the current one of a router that is not disabled; `COULD_NOT_PROCESS_CSR`
 */
export const extendRouter = async (call: Call, { body }: { readonly body: RouterRequests }) => {
  const { core, peerCertificates } = call;
  const proven = await provenRouter(core, peerCertificates);
  const found = await call.read((entities) => requireCurrent(entities, proven));
  const { certificate, cert, serverCert, claim } = await core.enrollments.run(() => certifyRouter(call, found, body), call);
  await call.write(async (entities) => {
    // In the meantime, another request may have extended it, or it may have been disabled or have to enroll again.
    const current = await requireCurrent(entities, proven);
    await updateRouter(
      entities,
      current,
      { ...NONE_UNVERIFIED, fingerprint: certificate.fingerprint, ...(await claim(entities)) },
      { certPem: cert },
    );
  });
  return { cert, serverCert };
};

/** @throws ApiError `UNAUTHORIZED` */
const requireCurrent = async (entities: Entities, proven: Certificate | undefined): Promise<RowOf<typeof router>> => {
  const row = proven && (await routerOf(entities, proven));
  if (!row) throw unauthorized('the certificate is not the current one of a router');
  if (row.disabled) throw unauthorized(DISABLED);
  return row;
};
