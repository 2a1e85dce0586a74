import { identity } from '../../../api/identities.ts';
import { edgeRouter } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import type { Call } from '../../../call/call.ts';
import { referenceTo } from '../../../resources/links.ts';
import { presenceOf } from '../../fabric/routers/online.ts';
import { evaluatePermissions } from '../../policy/access/evaluate.ts';
import { policiesOfBoth, routersBetween } from '../../policy/policies/traversal.ts';

/** Policy advice: what policies, ignoring posture, let an identity do with a service, and the routers that both may use. */
export const policyAdviceFor = (call: Call, { id, serviceId }: { readonly id: string; readonly serviceId: string }) =>
  call.read(async (entities) => {
    const who = await entities.require(identity, id);
    const what = await entities.require(service, serviceId);
    const { dial, bind } = evaluatePermissions(await policiesOfBoth(entities, who, what), who, what);
    const { identityRouterCount, serviceRouterCount, common } = await routersBetween(entities, who, what);
    return {
      identity: referenceTo(identity, who),
      identityId: id,
      service: referenceTo(service, what),
      serviceId,
      ...(dial ? { isDialAllowed: true } : {}),
      ...(bind ? { isBindAllowed: true } : {}),
      ...(identityRouterCount > 0 ? { identityRouterCount } : {}),
      ...(serviceRouterCount > 0 ? { serviceRouterCount } : {}),
      commonRouters:
        common.rows.length === 0
          ? null
          : // Edge routers, which are a kind and rows like any other.
            common.rows.map((row) => ({
              ...referenceTo(edgeRouter, row),
              isOnline: presenceOf(call.core.presence, row).isOnline,
            })),
    };
  });
