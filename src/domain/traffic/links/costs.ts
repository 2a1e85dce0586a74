import { router } from '../../../api/routers.ts';
import type { Entities } from '../../../changes/entities.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import type { RouterCost } from './paths.ts';

/** What routers cost that circuits may go through; those that are disabled are left out. */
export const routerCosts = async (entities: Entities, routerIds: readonly string[]): Promise<ReadonlyMap<string, RouterCost>> => {
  const rows = await rowsById(entities, router, routerIds);
  return new Map(
    [...rows.values()]
      .filter(({ disabled }) => !disabled)
      .map(({ id, cost, noTraversal }) => [id, { cost: cost ?? 0, noTraversal: noTraversal ?? false }]),
  );
};
