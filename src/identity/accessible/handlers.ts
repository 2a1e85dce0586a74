import { evaluatePermissions } from '../../access/evaluation/evaluate.ts';
import { policiesBetween } from '../../access/policies/traversal.ts';
import { commonRouters, presentCommonRouter } from '../../access/routers/common-routers.ts';
import { waitForRouters } from '../../access/routers/wait-for-routers.ts';
import { configTypesOfCall } from '../../access/services/handlers.ts';
import { servicePresenter, type Viewer, viewerOf, visibleTo } from '../../access/services/visibility.ts';
import { identified, identityOf, isAdministrator } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { listRows } from '../../call/resources/crud.ts';
import { presentOne } from '../../call/resources/present.ts';
import { accessibleServices } from '../../contract/api/accessible-services.ts';
import { service, terminator } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { notFound } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { requireSessionToken } from '../sessions/token.ts';

const callerAsViewer = async (entities: Entities, call: Call, configTypes?: readonly string[]): Promise<Viewer> =>
  viewerOf(entities, identified(call.actor), await configTypesOfCall(entities, call, configTypes));

/** @throws ApiError `NOT_FOUND` for a service that does not exist or that the caller may not access */
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
      const viewer = await callerAsViewer(entities, call, configTypes);
      return listRows(entities, service, query, call, { within: await visibleTo(viewer), presenter: servicePresenter(viewer, {}) });
    }),
  get: (call, { id }) =>
    call.read(async (entities) => {
      const row = await requireAccessible(entities, call, id);
      return presentOne(entities, service, row, call, servicePresenter(await callerAsViewer(entities, call), null));
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
    const findRouters = async (entities: Entities) => {
      if (sessionToken !== undefined) await requireSessionToken(entities, call, sessionToken);
      const row = await requireAccessible(entities, call, id);
      const [routers = []] = await commonRouters(entities, [{ identity: identityOf(call.actor), service: row }], call.core.presence);
      return routers;
    };
    const found = await call.read(findRouters);
    const routers = (await waitForRouters(call, found)) ? await call.readReauthorized(findRouters) : found;
    return { edgeRouters: routers.length === 0 ? null : routers.map((router) => presentCommonRouter(router, call.core)) };
  },
});
