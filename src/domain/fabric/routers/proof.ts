import type { RowOf } from '../../../api/kit/index.ts';
import { router } from '../../../api/routers.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../entities/entities.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { readPresented } from '../../../pki/presented.ts';
import { equals, stringField } from '../../../query/index.ts';
import { networkFor } from '../../directory/cas/trust.ts';

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
