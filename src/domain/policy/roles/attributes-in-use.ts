import { edgeRouter, identity, postureCheck, service } from '../../../api/kinds.ts';
import { attributeIndexField, type DecodedOf, type Kind, type OutputOf, type Page } from '../../../api/kit/index.ts';
import { MAX_USES, roleAttributeLists } from '../../../api/role-attributes.ts';
import type { Call, Handler } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { comparator, compileMatcher, fieldSymbol, has, readSort, SortError, type SortKey, symbolsOf } from '../../../query/index.ts';
import { sortedSet } from '../../../query/order.ts';
import { assertAffordableInMemory } from '../../../resources/budget.ts';
import { allKinds } from '../../../resources/kinds.ts';
import { DEFAULT_PAGE_SIZE, type ListInput, pageOf, planList } from '../../../resources/lists.ts';

/** An attribute has only one field: its own text, as `id`. */
const attribute = fieldSymbol('string', 'id');
const symbols = symbolsOf('roleAttribute', { id: attribute });
const sortSymbols = symbolsOf('roleAttribute', { id: attribute, name: attribute });

/** Consoles sort every list by the same field, so a `sort` by a field that attributes do not have is ignored instead of rejected. */
const readKnownSort = (sort = ''): readonly SortKey[] => {
  try {
    return readSort(sort, sortSymbols);
  } catch (error) {
    if (error instanceof SortError) return [];
    throw error;
  }
};

/** The page of some attributes that a list asks for. There are few enough to be filtered and sorted in memory. */
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

/** The distinct attributes that entities of a kind carry. */
const listInUse =
  (kind: Kind): Handler<ListInput, Page<string>> =>
  async (call, input) => {
    const attributes = await call.read((entities) => entities.distinct(kind, 'roleAttributes'));
    return pageOfAttributes(call, input, attributes, { defaultLimit: Infinity });
  };

/** Entities that use the role attributes of a kind: those of the kind itself, and policies that select it. */
interface Source {
  /** Name in answers. */
  readonly name: string;
  readonly kind: Kind;
  /** The set of attributes that an entity uses. */
  readonly set: string;
}

const sourcesOf = (kind: Kind): readonly Source[] => [
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
  const sources = sourcesOf(kind);
  return (call, { withIds = false, ...input }) =>
    call.read(async (entities) => {
      // The host's rule may hide policies, which a number would reveal.
      const isByRule = call.grant.isDelegated && !call.grant.permissions;
      const shown = isByRule ? sources.slice(0, 1) : sources;
      const used = await Promise.all(shown.map((source) => entities.distinct(source.kind, source.set)));
      const page = pageOfAttributes(call, input, sortedSet(used.flat()), { maxLimit: MAX_USES });
      const data = page.data.map(async (roleAttribute) => {
        const uses = shown.map(async (source) => [source.name, await useOf(entities, source, roleAttribute, withIds)] as const);
        return { roleAttribute, usage: Object.fromEntries(await Promise.all(uses)) };
      });
      return { ...page, data: await Promise.all(data) };
    });
};

const useOf = async (entities: Entities, { kind, set }: Source, attribute: string, withIds: boolean) => {
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
