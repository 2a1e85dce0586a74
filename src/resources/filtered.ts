import type { Kind } from '../api/kit/resource.ts';
import { behaviourOf } from '../call/behaviour.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { and, type Predicate } from '../query/index.ts';
import { affordable } from './budget.ts';
import { granted, visibleOf, withinLimits } from './granted.ts';
import { planList } from './lists.ts';
import { symbolsOfList } from './symbols.ts';

/**
 * The predicate of the entities of a kind that satisfy a client's filter, and that the caller may see. What the filter says about order and pages is ignored.
 * @throws ApiError `INVALID_FILTER`, or if the filter costs more than the caller may spend
 */
export const filteredBy = async (entities: Entities, kind: Kind, filter: string | undefined, call: Call): Promise<Predicate> => {
  const plan = planList(symbolsOfList(kind, call), { filter });
  const among = await affordable(entities, kind, { filter }, plan, call);
  const limited = await withinLimits(entities, plan.where, call);
  const resolved = (await behaviourOf(call, kind)?.resolve?.(entities, limited, call)) ?? limited;
  return and(among, resolved, await granted(entities, kind, call), await visibleOf(entities, kind, call));
};
