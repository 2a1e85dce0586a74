import type { RowOf } from '../../../api/kit/index.ts';
import { edgeRouter, router } from '../../../api/routers.ts';
import type { Entities } from '../../../entities/entities.ts';

/** Writes to a router of either kind, as the kind that it is: `news`, and what only an edge router keeps. */
export const updateRouter = async (
  entities: Entities,
  row: RowOf<typeof router>,
  news: Partial<RowOf<typeof router>>,
  ofEdgeRouter: Partial<RowOf<typeof edgeRouter>> = {},
): Promise<void> => {
  if (row.isEdgeRouter) await entities.update(edgeRouter, await entities.require(edgeRouter, row.id), { ...news, ...ofEdgeRouter });
  else await entities.update(router, row, news);
};
