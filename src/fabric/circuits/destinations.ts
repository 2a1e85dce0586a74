import type { RowOf } from '../../contract/api/kit/index.ts';
import { terminator } from '../../contract/api/terminators.ts';
import { and, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { CheapestPaths, FabricPath } from '../links/paths.ts';

type Row = RowOf<typeof terminator>;

/** A terminator with the cheapest path to it. */
export interface ReachableTerminator {
  readonly terminator: Row;
  readonly path: FabricPath;
}

const RANK = { required: 0, default: 1, failed: 2 } as const;

/** Maximum number of terminators of a service that are compared for one circuit. */
const MAX_COMPARED = 500;

/**
 * The terminators of a service, 500 at most.
 * @param instanceId empty for terminators without an instance
 */
export const terminatorsOf = (entities: Entities, serviceId: string, instanceId: string): Promise<readonly Row[]> => {
  const where = and(equals(stringField('serviceId'), serviceId), equals(stringField('identity'), instanceId));
  return entities.list(terminator, { where, limit: MAX_COMPARED });
};

/** The best reachable terminators: by precedence, then by the sum of their cost and the cost of the path. */
export const bestDestinations = (terminators: readonly Row[], paths: CheapestPaths, count: number): readonly ReachableTerminator[] => {
  const reachable = terminators.flatMap((row) => {
    const cost = paths.costTo(row.routerId);
    return cost === undefined ? [] : [{ row, rank: RANK[row.precedence ?? 'default'], cost: (row.cost ?? 0) + cost }];
  });
  const best = reachable.toSorted((a, b) => a.rank - b.rank || a.cost - b.cost).slice(0, count);
  return best.flatMap(({ row }) => {
    const path = paths.to(row.routerId);
    return path ? [{ terminator: row, path }] : [];
  });
};
