import type { RowOf } from '../../../api/kit/index.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, equals, stringField } from '../../../query/index.ts';
import type { RouterLink } from '../links/link-table.ts';
import { cheapestPaths, type FabricPath, routerCosts } from '../links/paths.ts';

/** A terminator with the cheapest path to it. */
export interface ReachableTerminator {
  readonly terminator: RowOf<typeof terminator>;
  readonly path: FabricPath;
}

/** The connected routers, and the links between them. */
export interface FabricTopology {
  readonly routerIds: readonly string[];
  readonly links: readonly RouterLink[];
}

const RANK = { required: 0, default: 1, failed: 2 } as const;

/** Maximum number of terminators of a service that are compared for one circuit. */
const MAX_COMPARED = 500;

/**
 * The terminators of a service that are reachable from a router, best first: by precedence, then by the sum of their cost and the cost of the path.
 * @param wanted `instanceId` is empty for terminators without an instance
 */
export const destinationsOf = async (
  entities: Entities,
  { serviceId, instanceId, from }: { readonly serviceId: string; readonly instanceId: string; readonly from: string },
  { routerIds, links }: FabricTopology,
): Promise<readonly ReachableTerminator[]> => {
  const where = and(equals(stringField('serviceId'), serviceId), equals(stringField('identity'), instanceId));
  const terminators = await entities.list(terminator, { where, limit: MAX_COMPARED });
  const paths = cheapestPaths(from, links, await routerCosts(entities, routerIds));
  const reachable = terminators.flatMap((row) => {
    const path = paths.get(row.routerId);
    return path ? [{ terminator: row, path }] : [];
  });
  const costOf = ({ terminator: { cost }, path }: ReachableTerminator) => (cost ?? 0) + path.cost;
  return reachable.toSorted(
    (a, b) => RANK[a.terminator.precedence ?? 'default'] - RANK[b.terminator.precedence ?? 'default'] || costOf(a) - costOf(b),
  );
};
