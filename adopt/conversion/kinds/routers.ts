import { edgeRouter, router } from '../../../src/contract/api/kinds.ts';
import { ctrlChanListeners } from '../../../src/contract/api/routers.ts';
import { readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { canonicalHost, indexKeysOf, isLocalHost } from '../../../src/crypto/pki/server-names.ts';
import { sortedSet } from '../../../src/query/order.ts';
import type { Former } from '../former.ts';
import { type Adopting, entityOf, mapping } from '../mapping.ts';
import { costWithin } from '../values.ts';

/** The enrollment of routers that enrolled before the adoption. */
const ENROLLED_BEFORE = 'adopted';

export const routerMapping = mapping('routers', async (former, adopting) => {
  const { id, name, tags, edge, fingerprint, noTraversal, disabled } = former;
  const verification = edge ?? former.transitRouter;
  // A router of the fabric alone has a fingerprint as soon as it has enrolled.
  const isVerified = verification?.isVerified ?? fingerprint !== null;
  const common = {
    name,
    cost: costWithin(former.cost, 'cost', adopting),
    noTraversal,
    disabled,
    fingerprint: fingerprint || null,
    isVerified,
    enrolledBy: isVerified ? ENROLLED_BEFORE : null,
    unverifiedCertPem: verification?.unverifiedCertPem || null,
    unverifiedFingerprint: verification?.unverifiedFingerprint || null,
    ctrlChanListeners: listenersOf(former, adopting),
  };
  if (!edge) return [entityOf(router, id, tags, common)];
  const { certPem, isTunnelerEnabled, roleAttributes, appData } = edge;
  const own = { certPem: certPem || null, isTunnelerEnabled, roleAttributes: sortedSet(roleAttributes), appData };
  return [entityOf(edgeRouter, id, tags, { ...common, ...own, serverNames: certPem ? await namesIn(certPem) : [] })];
});

const listenersOf = ({ ctrlChanListeners: given }: Former<'routers'>, { lose }: Adopting) => {
  const { success, data = null } = ctrlChanListeners.safeParse(given);
  if (!success) lose('bounds', 'its listeners for control channels are left out');
  return data;
};

/** The names in a certificate, which no other router may get. That of the router's server is unknown, but has the same ones. */
const namesIn = async (pem: string): Promise<readonly string[]> => {
  const { value: [certificate] = [] } = await readCertificates(pem);
  const hosts = [...(certificate?.dnsNames ?? []), ...(certificate?.ipAddresses ?? [])].map(canonicalHost);
  return sortedSet(hosts.flatMap((host) => (host === undefined || isLocalHost(host) ? [] : indexKeysOf(host))));
};
