/**
 * The companions of an edge router with a tunneler: an identity and a policy with the router's id, created and deleted in the same transaction as the
 * tunneler.
 */
import { type edgeRouter, edgeRouterPolicy, identity } from '../../../api/kinds.ts';
import { type RowOf, selectorOfId } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { newRow } from '../../../resources/merge.ts';
import { removeEntity } from '../../../resources/removal.ts';

type EdgeRouter = RowOf<typeof edgeRouter>;

/** Keeps the name of the companion in sync with that of its router. @throws ApiError 400 `name` if an identity has that name */
export const keepCompanion = async (entities: Entities, after: EdgeRouter, before: EdgeRouter | undefined): Promise<void> => {
  const wasEnabled = before?.isTunnelerEnabled ?? false;
  if (after.isTunnelerEnabled && !wasEnabled) await addCompanion(entities, after);
  else if (!after.isTunnelerEnabled && wasEnabled) await removeCompanion(entities, after.id);
  else if (wasEnabled && before?.name !== after.name)
    await entities.update(identity, await entities.require(identity, after.id), { name: after.name });
};

const addCompanion = async (entities: Entities, { id, name }: EdgeRouter): Promise<void> => {
  await entities.insert(identity, newRow(identity, { name, isAdmin: false }, { id, typeId: 'Router' }));
  const selectsRouter = [selectorOfId(id)];
  const policy = {
    name: `edge-router-${id}-system`,
    semantic: 'AnyOf' as const,
    identityRoles: selectsRouter,
    edgeRouterRoles: selectsRouter,
  };
  await entities.insert(edgeRouterPolicy, newRow(edgeRouterPolicy, policy, { id, isSystem: true }));
};

export const removeCompanion = async (entities: Entities, id: string): Promise<void> => {
  const policy = await entities.get(edgeRouterPolicy, id);
  if (policy) await entities.remove(edgeRouterPolicy, policy);
  const owner = await entities.get(identity, id);
  if (owner) await removeEntity(entities, identity, owner);
};
