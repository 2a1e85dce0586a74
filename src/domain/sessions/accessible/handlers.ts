import { accessibleServices } from '../../../api/accessible-services.ts';
import { service, terminator } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { identified, identityOf, isAdministrator } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { notFound } from '../../../errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import { presentOne } from '../../../resources/present.ts';
import { configTypesOfCall } from '../../catalogue/services/handlers.ts';
import { seenBy, type Viewer, viewerOf, visibleTo } from '../../catalogue/services/visibility.ts';
import { commonRouters, shownRouter } from '../../fabric/routers/common-routers.ts';
import { waitForRouters } from '../../fabric/routers/expected.ts';
import { evaluatePermissions } from '../../policy/access/evaluate.ts';
import { policiesBetween } from '../../policy/policies/traversal.ts';
import { requireSessionToken } from '../sessions/token.ts';

const viewer = async (entities: Entities, call: Call, configTypes?: readonly string[]): Promise<Viewer> =>
  viewerOf(entities, identified(call.actor), await configTypesOfCall(entities, call, configTypes));

/** Loads a service that the caller may access. Any other service counts as not found. */
const requireAccessible = async (entities: Entities, call: Call, id: string): Promise<RowOf<typeof service>> => {
  const row = await entities.require(service, id);
  if (isAdministrator(call.actor)) return row;
  const who = identityOf(call.actor);
  const { granting } = evaluatePermissions(await policiesBetween(entities, who, row), who, row);
  if (granting.length === 0) throw notFound(service.kind, id);
  return row;
};

export const accessibleServiceEntries = implement(accessibleServices, {
  // Role filters are accepted but ignored, even if they are invalid.
  list: (call, { configTypes, roleFilter: _, roleSemantic: __, ...query }) =>
    call.read(async (entities) => {
      const who = await viewer(entities, call, configTypes);
      return listRows(entities, service, query, call, { within: await visibleTo(who), presenter: seenBy(who, {}) });
    }),
  get: (call, { id }) =>
    call.read(async (entities) => {
      const row = await requireAccessible(entities, call, id);
      return presentOne(entities, service, row, call, seenBy(await viewer(entities, call), null));
    }),
  listTerminators: (call, { id, ...query }) =>
    call.read(async (entities) => {
      await requireAccessible(entities, call, id);
      const page = await listRows(entities, terminator, query, call, { within: equals(stringField('serviceId'), id) });
      const data = page.data.map(({ _links, createdAt, id, tags, updatedAt, identity, routerId, service, serviceId }) => {
        if (!service) throw notFound('service', serviceId);
        return { _links, createdAt, id, tags, updatedAt, identity: identity ?? '', routerId, service, serviceId };
      });
      return { ...page, data };
    }),
  getEdgeRouters: async (call, { id, sessionToken }) => {
    const find = async (entities: Entities) => {
      if (sessionToken !== undefined) await requireSessionToken(entities, call, sessionToken);
      const row = await requireAccessible(entities, call, id);
      const [routers = []] = await commonRouters(entities, [{ identity: identityOf(call.actor), service: row }], call.core.presence);
      return routers;
    };
    const found = await call.read(find);
    const routers = (await waitForRouters(call, found)) ? await call.readOn(find) : found;
    return { edgeRouters: routers.length === 0 ? null : routers.map((router) => shownRouter(router, call.core)) };
  },
});
