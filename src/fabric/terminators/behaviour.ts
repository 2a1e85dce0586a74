import { behaviour } from '../../call/behaviour.ts';
import { router, service, terminator } from '../../contract/api/kinds.ts';
import { withSealedSecret } from './identity-secret.ts';

export const terminatorBehaviour = behaviour(terminator, {
  // The service cannot change; the router can.
  prepare: async (call, verb, body) => ({
    ...(verb === 'create' ? { serviceId: String(body.service), ...(await withSealedSecret(call.core, body.identitySecret)) } : {}),
    ...(body.router === undefined ? {} : { routerId: String(body.router) }),
  }),
  check: async (entities, after, before) => ({
    binding: after.binding || (after.address.startsWith('udp:') ? 'udp' : 'transport'),
    ...(before ? {} : { serviceName: (await entities.require(service, after.serviceId)).name }),
    ...(before?.routerId === after.routerId ? {} : { routerName: (await entities.require(router, after.routerId)).name }),
  }),
  present: async (_entities, rows) => rows.map(() => ({ dynamicCost: 0 })),
});
