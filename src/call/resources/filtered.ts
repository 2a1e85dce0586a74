import type { Kind } from '../../contract/api/kit/resource.ts';
import { and, type Predicate } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { behaviourOf, type Presenter } from '../behaviour.ts';
import type { Call } from '../call.ts';
import { affordable } from './budget.ts';
import { granted, withinLimits } from './granted.ts';
import { type ListInput, type ListPlan, planList } from './lists.ts';
import { symbolsOfList } from './symbols.ts';

/** The other conditions that decide which entities a list contains. */
export interface ListOptions {
  /** Restricts the list, e.g. to the entities related to a parent. */
  readonly within?: Predicate;
  /** Default: the behaviour of the kind. */
  readonly presenter?: Presenter | undefined;
}

/**
 * The predicate of the entities of a kind that a plan selects, within what the right of the caller covers.
 * @throws ApiError if the plan costs more than the caller may spend
 */
export const plannedBy = async (
  entities: Entities,
  kind: Kind,
  input: ListInput,
  plan: ListPlan,
  call: Call,
  { within, presenter = behaviourOf(call, kind) }: ListOptions = {},
): Promise<Predicate> => {
  const among = await affordable(entities, kind, input, plan, call, within);
  const limited = await withinLimits(entities, plan.where, call);
  const resolved = (await presenter?.resolve?.(entities, limited, call)) ?? limited;
  return and(among, resolved, await granted(entities, kind, call));
};

/**
 * The predicate of the entities of a kind that satisfy a client's filter, and that the caller may see. What the filter says about order and
 * pages is ignored.
 * @throws ApiError `INVALID_FILTER`, or if the filter costs more than the caller may spend
 */
export const filteredBy = async (entities: Entities, kind: Kind, filter: string | undefined, call: Call): Promise<Predicate> => {
  const plan = planList(symbolsOfList(kind, call), { filter });
  return plannedBy(entities, kind, { filter }, plan, call);
};
