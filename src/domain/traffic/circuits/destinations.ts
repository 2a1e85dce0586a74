import type { RowOf } from '../../../api/kit/resource.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Entities } from '../../../changes/entities.ts';
import { and, equals, stringField } from '../../../query/index.ts';
import { routerCosts } from '../links/costs.ts';
import type { RouterLink } from '../links/link-table.ts';
import { cheapestPaths, type RouterPath } from '../links/paths.ts';

/** A terminator, and the cheapest way to it. */
export interface ReachedTerminator {
  readonly terminator: RowOf<typeof terminator>;
  readonly path: RouterPath;
}

/** The fabric as it is: the routers that are connected, and the links between them. */
export interface FabricMap {
  readonly routerIds: readonly string[];
  readonly links: readonly RouterLink[];
}

const RANK = { required: 0, default: 1, failed: 2 } as const;

/** Terminators of a service that are looked at for one circuit. */
const MOST = 500;

/**
 * The terminators of a service that a router reaches, those to be tried first at the beginning: by precedence, then by cost, theirs and that of the way.
 * @param instanceId the instance that is wanted; empty for those that have none
 */
export const destinationsOf = async (
  entities: Entities,
  { serviceId, instanceId, from }: { readonly serviceId: string; readonly instanceId: string; readonly from: string },
  { routerIds, links }: FabricMap,
): Promise<readonly ReachedTerminator[]> => {
  const where = and(equals(stringField('serviceId'), serviceId), equals(stringField('identity'), instanceId));
  const terminators = await entities.list(terminator, { where, limit: MOST });
  const paths = cheapestPaths(from, links, await routerCosts(entities, routerIds));
  const reached = terminators.flatMap((one) => {
    const path = paths.get(one.routerId);
    return path ? [{ terminator: one, path }] : [];
  });
  const costOf = ({ terminator: { cost }, path }: ReachedTerminator) => (cost ?? 0) + path.cost;
  return reached.toSorted(
    (a, b) => RANK[a.terminator.precedence ?? 'default'] - RANK[b.terminator.precedence ?? 'default'] || costOf(a) - costOf(b),
  );
};
