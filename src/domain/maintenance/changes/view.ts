import { kinds as allKinds } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/resource.ts';
import type { Call } from '../../../call/call.ts';
import { type Change, type ChangedKind, isChangedKind } from '../../../changelog/events.ts';
import { isUnrecorded } from '../../../changelog/visible.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError } from '../../../errors/index.ts';
import { ALL, compareText, compileMatcher, type Predicate, visitReads } from '../../../query/index.ts';
import { affordable } from '../../../resources/budget.ts';
import { planList } from '../../../resources/lists.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';

/** The part of the network that a follower of the change log sees. */
export interface FollowedView {
  /** The kinds that it sees, in order, each with the entities of it. */
  readonly kinds: ReadonlyMap<ChangedKind, Predicate>;
  /** The change as the follower sees it; undefined if it does not. */
  seen(change: Change): Change | undefined;
}

/**
 * @param wanted undefined for all kinds
 * @param filter a condition that entities must satisfy. Default: none
 * @throws ApiError `INVALID_FILTER`
 */
export const viewOf = (call: Call, wanted: ReadonlySet<ChangedKind> | undefined, filter: string | undefined): FollowedView => {
  const names = [...(wanted ?? Object.keys(allKinds).filter(isChangedKind))].sort(compareText);
  const kinds = new Map(names.map((name) => [name, filter ? conditionOn(call, allKinds[name], filter) : ALL]));
  if (!filter) return { kinds, seen: (change) => (wanted?.has(change.entity) === false ? undefined : change) };
  const matchers = new Map([...kinds].map(([name, where]) => [name, compileMatcher(where)]));
  return {
    kinds,
    seen: (change) => {
      const matches = matchers.get(change.entity);
      const has = (row: Change['before']): boolean => (row && matches?.({ ...row })) ?? false;
      const [wasSeen, isSeen] = [has(change.before), has(change.after)];
      if (wasSeen && isSeen) return change;
      // The types of a change depend on its action, which these agree with.
      if (isSeen) return { ...change, action: 'create', before: null } as Change;
      return wasSeen ? ({ ...change, action: 'delete', after: null } as Change) : undefined;
    },
  };
};

/** Refuses a filter that a list of one of the kinds would refuse: it is evaluated on each of the entities, and on each change. @throws ApiError `INVALID_FILTER` */
export const assertAffordable = async (entities: Entities, call: Call, { kinds }: FollowedView, filter: string): Promise<void> => {
  for (const [name, where] of kinds) await affordable(entities, allKinds[name], { filter }, { where, sort: [] }, call);
};

/** The filter on a kind. It may only ask about what change records contain of the entity itself. */
const conditionOn = (call: Call, kind: Kind, filter: string): Predicate => {
  const { where, sort, offset } = planList(symbolsOfList(kind, call), { filter });
  const refuse = (message: string): never => {
    throw new ApiError('INVALID_FILTER', { cause: { code: 'UNHANDLED', message } });
  };
  if (sort.length > 0 || offset > 0) refuse('the filter of a follower is a condition alone, without an order or a page');
  visitReads(where, (field, table) => {
    const { keep } = kind.fields[field] ?? { keep: BASE.has(field) ? 'stored' : 'computed' };
    if (table !== undefined) refuse(`the filter of a follower asks about the entity itself, and not about the ${table} that it refers to`);
    if (keep !== 'stored' || isUnrecorded(kind, field))
      refuse(`the filter of a follower asks about stored fields of ${kind.kind}, and '${field}' is none`);
  });
  return where;
};

/** Fields that entities of all kinds have. */
const BASE: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'tags', 'isSystem']);
