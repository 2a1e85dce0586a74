import type { Call } from '../../call/call.ts';
import type { Handler } from '../../call/entry.ts';
import { implement } from '../../call/implement.ts';
import { assertAffordableInMemory } from '../../call/resources/budget.ts';
import { allKinds } from '../../call/resources/kinds.ts';
import { DEFAULT_PAGE_SIZE, type ListInput, pageOf, planList } from '../../call/resources/lists.ts';
import { edgeRouter, identity, postureCheck, service } from '../../contract/api/kinds.ts';
import { attributeIndexField, type DecodedOf, type Kind, type OutputOf, type Page } from '../../contract/api/kit/index.ts';
import { MAX_USES, roleAttributeLists } from '../../contract/api/role-attributes.ts';
import { comparator, compileMatcher, fieldSymbol, has, readSort, SortError, type SortKey, symbolsOf } from '../../query/index.ts';
import { sortedSet } from '../../query/order.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** An attribute has one field: its text, as `id`. */
const attribute = fieldSymbol('string', 'id');
const symbols = symbolsOf('roleAttribute', { id: attribute });
const sortSymbols = symbolsOf('roleAttribute', { id: attribute, name: attribute });

/** Ignores a `sort` by a field that attributes do not have, because consoles sort every list by the same field. */
const readKnownSort = (sort = ''): readonly SortKey[] => {
  try {
    return readSort(sort, sortSymbols);
  } catch (error) {
    if (error instanceof SortError) return [];
    throw error;
  }
};

/** The requested page of attributes, which are filtered and sorted in memory. */
const pageOfAttributes = (
  call: Call,
  { sort: sortParameter, ...input }: ListInput,
  attributes: readonly string[],
  { defaultLimit = DEFAULT_PAGE_SIZE, maxLimit = Infinity } = {},
): Page<string> => {
  const plan = planList(symbols, input, { defaultLimit });
  const sort = plan.sort.length > 0 ? plan.sort : readKnownSort(sortParameter);
  assertAffordableInMemory(call, input, { ...plan, sort }, attributes.length);
  const rows = attributes.map((id) => ({ id })).filter(compileMatcher(plan.where));
  if (sort.length > 0) rows.sort(comparator(sort));
  const limit = Math.min(plan.limit, maxLimit);
  const page = rows.slice(plan.offset, plan.offset + limit).map(({ id }) => id);
  return pageOf(page, { ...plan, limit }, rows.length, symbols);
};

/** Lists the distinct attributes of the entities of a kind. */
const listInUse =
  (kind: Kind): Handler<ListInput, Page<string>> =>
  async (call, input) => {
    const attributes = await call.read((entities) => entities.distinct(kind, 'roleAttributes'));
    return pageOfAttributes(call, input, attributes, { defaultLimit: Infinity });
  };

/** A kind whose entities use role attributes of another kind, or of itself. */
interface AttributeUser {
  /** Name in answers. */
  readonly name: string;
  readonly kind: Kind;
  /** The set with the attributes that an entity uses. */
  readonly set: string;
}

/** The kind itself, and the kinds of policies that select it. */
const usersOf = (kind: Kind): readonly AttributeUser[] => [
  { name: nameOf(kind), kind, set: 'roleAttributes' },
  ...allKinds.flatMap((policies) =>
    Object.entries(policies.fields).flatMap(([field, { set }]) =>
      set?.of === 'selectors' && set.target === kind.kind
        ? [{ name: nameOf(policies), kind: policies, set: attributeIndexField(field) }]
        : [],
    ),
  ),
];

const nameOf = ({ names: [, plural] }: Kind): string => `${plural.slice(0, 1).toLowerCase()}${plural.slice(1)}`;

type Usage = OutputOf<(typeof roleAttributeLists)['operations']['identityUsage']>;
type UsageInput = DecodedOf<(typeof roleAttributeLists)['operations']['identityUsage']>;

const listUsage = (kind: Kind): Handler<UsageInput, Usage> => {
  const users = usersOf(kind);
  return (call, { withIds = false, ...input }) =>
    call.read(async (entities) => {
      // The host's rule may hide policies, which their number would reveal.
      const isLimitedByRule = call.grant.isDelegated && !call.grant.permissions;
      const visibleUsers = isLimitedByRule ? users.slice(0, 1) : users;
      const used = await Promise.all(visibleUsers.map((user) => entities.distinct(user.kind, user.set)));
      const page = pageOfAttributes(call, input, sortedSet(used.flat()), { maxLimit: MAX_USES });
      const data = page.data.map(async (roleAttribute) => {
        const uses = visibleUsers.map(async (user) => [user.name, await usageBy(entities, user, roleAttribute, withIds)] as const);
        return { roleAttribute, usage: Object.fromEntries(await Promise.all(uses)) };
      });
      return { ...page, data: await Promise.all(data) };
    });
};

const usageBy = async (entities: Entities, { kind, set }: AttributeUser, attribute: string, withIds: boolean) => {
  const where = has(set, attribute);
  const count = await entities.count(kind, where);
  return withIds ? { count, ids: (await entities.list(kind, { where, limit: MAX_USES })).map(({ id }) => id) } : { count };
};

export const roleAttributeEntries = implement(roleAttributeLists, {
  identities: listInUse(identity),
  services: listInUse(service),
  postureChecks: listInUse(postureCheck),
  edgeRouters: listInUse(edgeRouter),
  identityUsage: listUsage(identity),
  serviceUsage: listUsage(service),
  postureCheckUsage: listUsage(postureCheck),
  edgeRouterUsage: listUsage(edgeRouter),
});
