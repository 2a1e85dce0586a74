/**
 * The companions of an edge router with a tunneler: an identity and an edge router policy that have the id of the router. They are created
 * and deleted in the transaction that enables or disables the tunneler.
 */

import { newRow } from '../../call/resources/merge.ts';
import { removeEntity } from '../../call/resources/removal.ts';
import { type edgeRouter, edgeRouterPolicy, identity } from '../../contract/api/kinds.ts';
import { type RowOf, selectorOfId } from '../../contract/api/kit/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

type EdgeRouter = RowOf<typeof edgeRouter>;

/**
 * Creates, deletes or renames the companions of a router that was written.
 * @throws ApiError 400 `name` if another identity has the name of the router
 */
export const syncCompanions = async (entities: Entities, after: EdgeRouter, before: EdgeRouter | undefined): Promise<void> => {
  const wasEnabled = before?.isTunnelerEnabled ?? false;
  if (after.isTunnelerEnabled && !wasEnabled) await addCompanions(entities, after);
  else if (!after.isTunnelerEnabled && wasEnabled) await removeCompanions(entities, after.id);
  else if (wasEnabled && before?.name !== after.name)
    await entities.update(identity, await entities.require(identity, after.id), { name: after.name });
};

const addCompanions = async (entities: Entities, { id, name }: EdgeRouter): Promise<void> => {
  await entities.insert(identity, newRow(identity, { name, isAdmin: false }, { id, typeId: 'Router' }));
  const roles = [selectorOfId(id)];
  const policy = {
    name: `edge-router-${id}-system`,
    semantic: 'AnyOf' as const,
    identityRoles: roles,
    edgeRouterRoles: roles,
  };
  await entities.insert(edgeRouterPolicy, newRow(edgeRouterPolicy, policy, { id, isSystem: true }));
};

/** Deletes the companions of a router that is deleted, or whose tunneler is disabled. */
export const removeCompanions = async (entities: Entities, id: string): Promise<void> => {
  const policy = await entities.get(edgeRouterPolicy, id);
  if (policy) await entities.remove(edgeRouterPolicy, policy);
  const companion = await entities.get(identity, id);
  if (companion) await removeEntity(entities, identity, companion);
};
