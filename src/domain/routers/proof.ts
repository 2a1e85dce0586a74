import type { RowOf } from '../../api/kit/resource.ts';
import { router } from '../../api/routers.ts';
import type { Core } from '../../call/core.ts';
import type { Entities } from '../../changes/entities.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { equals, text } from '../../query/index.ts';
import { networkFor, presentedBy } from '../cas/trust.ts';

/**
 * The certificate that a router proves itself by: issued by the network, for clients, and valid now.
 * @param peerCertificates DER, leaf first, as they came in the TLS handshake
 */
export const provenRouter = async (
  { pki, platform }: Pick<Core, 'pki' | 'platform'>,
  peerCertificates: readonly Uint8Array[],
): Promise<Certificate | undefined> => {
  const presented = await presentedBy({ peerCertificates });
  if (!presented) return undefined;
  const { leaf } = presented;
  const now = platform.clock.now();
  // The dates of the network's own authorities end no certificate before its time.
  const trust = await networkFor(presented, await pki.signer(), { now, ignoreValidity: 'all' });
  return trust && leaf.notBefore <= now && now <= leaf.notAfter ? leaf : undefined;
};

/** The router, of either kind, whose current certificate it is. */
export const routerOf = (
  entities: Entities,
  { fingerprint }: Pick<Certificate, 'fingerprint'>,
): Promise<RowOf<typeof router> | undefined> => entities.find(router, equals(text('fingerprint'), fingerprint));
