import { commonRouters, presentCommonRouter } from '../../access/routers/common-routers.ts';
import { behaviour } from '../../call/behaviour.ts';
import type { Core } from '../../call/core.ts';
import { referenceTo } from '../../call/resources/links.ts';
import { rowsReferredBy } from '../../call/resources/references.ts';
import { type edgeRouter, identity, service, servicePolicy, session } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';

export const sessionRouter = (router: RowOf<typeof edgeRouter>, core: Pick<Core, 'presence' | 'settings'>) => {
  const shown = presentCommonRouter(router, core);
  return { ...shown, urls: shown.supportedProtocols };
};

/** Presents sessions, with a fixed number of queries per page. */
export const sessionBehaviour = behaviour(session, {
  present: async (entities, rows, call) => {
    const { presence } = call.core;
    const policies = await rowsReferredBy(entities, servicePolicy, rows, ({ grantedBy }) => grantedBy ?? []);
    const identities = await rowsReferredBy(entities, identity, rows, ({ identityId }) => identityId);
    const services = await rowsReferredBy(entities, service, rows, ({ serviceId }) => serviceId);
    const pairs = rows.flatMap((row) => {
      const [who, what] = [identities.get(row.identityId), services.get(row.serviceId)];
      return who && what ? [{ row, identity: who, service: what }] : [];
    });
    const common = await commonRouters(entities, pairs, presence);
    const routers = new Map(pairs.map(({ row }, i) => [row, common[i] ?? []]));
    return rows.map((row) => {
      const edgeRouters = (routers.get(row) ?? []).map((router) => sessionRouter(router, call.core));
      return {
        token: row.id,
        edgeRouters: edgeRouters.length === 0 ? null : edgeRouters,
        servicePolicies: (row.grantedBy ?? []).flatMap((id) => {
          const policy = policies.get(id);
          return policy ? [referenceTo(servicePolicy, policy)] : [];
        }),
      };
    });
  },
});
