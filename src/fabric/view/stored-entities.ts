/** Presents the rows of routers, services and terminators in the fabric API. */

import type { Core } from '../../call/core.ts';
import type { router, service, terminator } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import { fabricEntity, fabricReference } from './references.ts';

/** Maximum length of an address that a router reports. UTF-16 units */
const MAX_ADDRESS = 255;

export const fabricRouterOf = (row: RowOf<typeof router>, { presence, traffic }: Pick<Core, 'presence' | 'traffic'>) => {
  presence.closeUnlessAllowed(row);
  const state = presence.stateOf(row);
  return {
    ...fabricEntity('routers', row),
    name: row.name,
    fingerprint: row.fingerprint ?? '',
    connected: state !== undefined,
    cost: row.cost ?? 0,
    noTraversal: row.noTraversal ?? false,
    disabled: row.disabled ?? false,
    listenerAddresses: traffic.linkListeners(row.id).map(({ address, protocol }) => ({
      address: beginningOf(address, MAX_ADDRESS),
      protocol: beginningOf(protocol, MAX_ADDRESS),
    })),
    ...(state ? { versionInfo: state.versionInfo } : {}),
    interfaces: row.interfaces ?? [],
  };
};

export const fabricServiceOf = (row: RowOf<typeof service>) => ({
  ...fabricEntity('services', row),
  name: row.name,
  terminatorStrategy: row.terminatorStrategy ?? '',
  maxIdleTimeMillis: row.maxIdleTimeMillis ?? 0,
});

export const fabricTerminatorOf = (row: RowOf<typeof terminator>) => ({
  ...fabricEntity('terminators', row),
  serviceId: row.serviceId,
  service: fabricReference('services', row.serviceId, row.serviceName),
  routerId: row.routerId,
  router: fabricReference('routers', row.routerId, row.routerName),
  binding: row.binding,
  address: row.address,
  instanceId: row.identity ?? '',
  cost: row.cost ?? 0,
  precedence: row.precedence ?? 'default',
  dynamicCost: 0,
  hostId: row.hostId ?? '',
});
