import type { Core } from '../../call/core.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { edgeRouter, router } from '../../contract/api/routers.ts';
import { explained, unauthorized } from '../../contract/errors/index.ts';
import { certificatesPem, readCertificates } from '../../crypto/pki/certificate.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { certifyRouter, type RouterRequests } from './certificates.ts';

/**
 * Updates a router as its actual kind.
 * @param ofEdgeRouter changes of fields that only edge routers have
 */
export const updateRouter = async (
  entities: Entities,
  row: RowOf<typeof router>,
  changes: Partial<RowOf<typeof router>>,
  ofEdgeRouter: Partial<RowOf<typeof edgeRouter>> = {},
): Promise<void> => {
  if (row.isEdgeRouter) await entities.update(edgeRouter, await entities.require(edgeRouter, row.id), { ...changes, ...ofEdgeRouter });
  else await entities.update(router, row, changes);
};

/** Fields of a router without an unconfirmed certificate. */
export const NONE_UNVERIFIED = { unverifiedFingerprint: null, unverifiedCertPem: null, unverifiedNames: null } as const;

/** Dependencies for offering certificates to a router that is identified by its connection. */
export interface VerificationDependencies {
  readonly core: Core;
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  write<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
}

/** Certificates with their chains, and the certificates of the authorities. PEM. */
export interface OfferedCertificates {
  readonly cert: string;
  readonly serverCert: string;
  readonly ca: string;
}

/**
 * Offers new certificates to a router, by the rules of `extendRouter`. Its current certificate remains valid until it confirms the new one;
 * an earlier offer that it has not confirmed becomes invalid.
 * @throws ApiError `UNAUTHORIZED` if the router may no longer be connected; `COULD_NOT_PROCESS_CSR`; `CONFLICT`
 */
export const offerCertificates = async (
  dependencies: VerificationDependencies,
  routerId: string,
  requests: RouterRequests,
): Promise<OfferedCertificates> => {
  const { core, read, write } = dependencies;
  const found = await read((entities) => requireEnrolled(entities, routerId));
  const { certificate, cert, serverCert, claim } = await core.enrollments.run(() => certifyRouter(dependencies, found, requests));
  await write(async (entities) => {
    const current = await requireEnrolled(entities, routerId);
    // In the meantime, another request may have extended it, or it may have enrolled again.
    if (current.fingerprint !== found.fingerprint) throw unauthorized(UNKNOWN);
    const without = current.unverifiedNames?.without ?? [...current.serverNames];
    const { serverNames } = await claim(entities);
    const names = { without, with: [...(serverNames ?? [])] };
    await updateRouter(entities, current, {
      unverifiedFingerprint: certificate.fingerprint,
      unverifiedCertPem: cert,
      unverifiedNames: names,
      serverNames: [...new Set([...names.without, ...names.with])].sort(),
    });
  });
  const { bundle } = await core.pki.signer();
  return { cert, serverCert, ca: certificatesPem(bundle) };
};

/**
 * Confirms that the router has received the offered certificate, which becomes its current one. Idempotent.
 * @param pem the certificate and its chain
 * @throws ApiError `UNAUTHORIZED` if the router may no longer be connected; `COULD_NOT_PROCESS_CSR` for any other certificate
 */
export const confirmCertificate = async (
  dependencies: Pick<VerificationDependencies, 'write'>,
  routerId: string,
  pem: string,
): Promise<void> => {
  const { value: [certificate] = [] } = await readCertificates(pem);
  await dependencies.write(async (entities) => {
    const row = await requireEnrolled(entities, routerId);
    const { unverifiedFingerprint, unverifiedCertPem, unverifiedNames } = row;
    if (certificate && !unverifiedFingerprint && certificate.fingerprint === row.fingerprint) return;
    if (!certificate || certificate.fingerprint !== unverifiedFingerprint)
      throw explained('COULD_NOT_PROCESS_CSR', 'this is not the certificate that was offered last');
    const names = unverifiedNames ? { serverNames: unverifiedNames.with } : {};
    await updateRouter(entities, row, { ...NONE_UNVERIFIED, fingerprint: unverifiedFingerprint, ...names }, { certPem: unverifiedCertPem });
  });
};

const requireEnrolled = async (entities: Entities, routerId: string): Promise<RowOf<typeof router>> => {
  const row = await entities.get(router, routerId);
  if (!row?.isVerified || row.disabled) throw unauthorized(UNKNOWN);
  return row;
};

const UNKNOWN = 'the certificate is not the current one of a router';
