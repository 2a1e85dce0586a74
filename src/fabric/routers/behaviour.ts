import { checkConfigs } from '../../access/configs/targets.ts';
import { ofRouters, presenceOf, resolvePresence } from '../../access/routers/presence.ts';
import { behaviour } from '../../call/behaviour.ts';
import { edgeRouter, router, terminator } from '../../contract/api/kinds.ts';
import { explained } from '../../contract/errors/index.ts';
import { addEnrollment } from '../../identity/enrollment/behaviour.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { removeCompanions, syncCompanions } from './companion.ts';
import { routerEnrollmentsOf } from './enrollment.ts';

/** Updates the copy of a router's name in its terminators. */
const renameInTerminators = async (entities: Entities, { id, name }: { readonly id: string; readonly name: string }) => {
  for (const row of await entities.list(terminator, { where: equals(stringField('routerId'), id) }))
    await entities.update(terminator, row, { routerName: name });
};

export const edgeRouterBehaviour = behaviour(edgeRouter, {
  check: async (entities, after, before) => {
    await checkConfigs(entities, 'router', after, before);
    return undefined;
  },
  write: async (entities, after, before, call) => {
    await syncCompanions(entities, after, before);
    if (!before) await addEnrollment(entities, call, { edgeRouterId: after.id, method: 'erott' });
    if (before && before.name !== after.name) await renameInTerminators(entities, after);
  },
  remove: async (entities, row) => {
    if (row.isTunnelerEnabled) await removeCompanions(entities, row.id);
  },
  present: async (entities, rows, call) => {
    const outstanding = await routerEnrollmentsOf(entities, 'edgeRouterId', rows, call);
    return rows.map((row) => ({ ...presenceOf(call.core.presence, row), ...outstanding.get(row.id) }));
  },
  resolve: async (_entities, where, call) => resolvePresence(call.core.presence, where),
});

export const routerBehaviour = behaviour(router, {
  check: async (entities, after, before) => {
    if (before?.isEdgeRouter)
      throw explained('CAN_NOT_UPDATE_ROUTER', `${before.id} is an edge router: change it at /edge-routers/${before.id}`);
    await checkConfigs(entities, 'router', after, before);
    return undefined;
  },
  write: async (entities, after, before, call) => {
    if (!before) await addEnrollment(entities, call, { transitRouterId: after.id, method: 'trott' });
    else if (before.name !== after.name) await renameInTerminators(entities, after);
  },
  // Enrollments of edge routers are shown only in the list of edge routers.
  present: async (entities, rows, call) => {
    const plain = rows.filter(({ isEdgeRouter }) => !isEdgeRouter);
    const outstanding = await routerEnrollmentsOf(entities, 'transitRouterId', plain, call);
    const { presence } = call.core;
    for (const row of rows) presence.closeUnlessAllowed(row);
    return rows.map((row) => ({
      isOnline: presence.stateOf(row) !== undefined,
      ...(row.isEdgeRouter ? { isVerified: true } : outstanding.get(row.id)),
    }));
  },
  resolve: async (_entities, where, call) => resolvePresence(call.core.presence, where, ofRouters),
});
