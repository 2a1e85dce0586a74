import type { Call } from '../../call/call.ts';
import { affordable } from '../../call/resources/budget.ts';
import { planList } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import { kinds as allKinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { type Change, type ChangedKind, isChangedKind } from '../../contract/changes/events.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { ALL, compareText, compileMatcher, type Predicate, visitReads } from '../../query/index.ts';
import { isUnrecorded } from '../../store/changelog/visible.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The entities that a follower of the change log sees. */
export interface FollowedView {
  /** The visible kinds, in order, each with a condition on its entities. */
  readonly kinds: ReadonlyMap<ChangedKind, Predicate>;
  /** The change as the follower sees it; undefined if the follower does not see it. */
  seen(change: Change): Change | undefined;
}

/**
 * @param requestedKinds undefined for all kinds
 * @param filter a condition that entities must satisfy. Default: none
 * @throws ApiError `INVALID_FILTER`
 */
export const viewOf = (call: Call, requestedKinds: ReadonlySet<ChangedKind> | undefined, filter: string | undefined): FollowedView => {
  const names = [...(requestedKinds ?? Object.keys(allKinds).filter(isChangedKind))].sort(compareText);
  const kinds = new Map(names.map((name) => [name, filter ? conditionOn(call, allKinds[name], filter) : ALL]));
  if (!filter) return { kinds, seen: (change) => (requestedKinds?.has(change.entity) === false ? undefined : change) };
  const matchers = new Map([...kinds].map(([name, where]) => [name, compileMatcher(where)]));
  return {
    kinds,
    seen: (change) => {
      const matches = matchers.get(change.entity);
      const has = (row: Change['before']): boolean => (row && matches?.({ ...row })) ?? false;
      const [wasSeen, isSeen] = [has(change.before), has(change.after)];
      if (wasSeen && isSeen) return change;
      // The type of a change depends on its action, which is set consistently here.
      if (isSeen) return { ...change, action: 'create', before: null } as Change;
      return wasSeen ? ({ ...change, action: 'delete', after: null } as Change) : undefined;
    },
  };
};

/**
 * Refuses a filter that a list of one of the kinds would refuse for its cost, because it is evaluated on each entity and each change.
 * @throws ApiError `INVALID_FILTER`
 */
export const assertAffordable = async (entities: Entities, call: Call, { kinds }: FollowedView, filter: string): Promise<void> => {
  for (const [name, where] of kinds) await affordable(entities, allKinds[name], { filter }, { where, sort: [] }, call);
};

/** Parses the filter on a kind. It may use only fields of the entity that change records contain. */
const conditionOn = (call: Call, kind: Kind, filter: string): Predicate => {
  const { where, sort, offset } = planList(symbolsOfList(kind, call), { filter });
  const refuse = (message: string): never => {
    throw new ApiError('INVALID_FILTER', { cause: { code: 'UNHANDLED', message } });
  };
  if (sort.length > 0 || offset > 0) refuse('the filter of a follower must be a condition, without an order or a page');
  visitReads(where, (field, table) => {
    const { keep } = kind.fields[field] ?? { keep: BASE.has(field) ? 'stored' : 'computed' };
    if (table !== undefined) refuse(`the filter of a follower may use only fields of the entity itself, not of its ${table}`);
    if (keep !== 'stored' || isUnrecorded(kind, field))
      refuse(`the filter of a follower may use only stored fields of ${kind.kind}: '${field}' is not one of them`);
  });
  return where;
};

/** Fields that entities of all kinds have. */
const BASE: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'tags', 'isSystem']);
