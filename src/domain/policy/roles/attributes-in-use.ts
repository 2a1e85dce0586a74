import { edgeRouter, identity, postureCheck, service } from '../../../api/kinds.ts';
import type { Kind, Page } from '../../../api/kit/index.ts';
import { roleAttributeLists } from '../../../api/role-attributes.ts';
import type { Call, Handler } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { comparator, compileMatcher, fieldSymbol, readSort, SortError, type SortKey, symbolsOf } from '../../../query/index.ts';
import { assertAffordableInMemory } from '../../../resources/budget.ts';
import { type ListInput, pageOf, planList } from '../../../resources/lists.ts';

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

/** The distinct attributes that entities of a kind carry. The store finds them; the list is short enough to be filtered and sorted in memory. */
const listInUse =
  (kind: Kind): Handler<ListInput, Page<string>> =>
  async (call: Call, { sort: sortParameter, ...input }) => {
    const plan = planList(symbols, input, { defaultLimit: Infinity });
    const sort = plan.sort.length > 0 ? plan.sort : readKnownSort(sortParameter);
    const attributes = await call.read((entities) => entities.distinct(kind, 'roleAttributes'));
    assertAffordableInMemory(call, input, { ...plan, sort }, attributes.length);
    const rows = attributes.map((id) => ({ id })).filter(compileMatcher(plan.where));
    if (sort.length > 0) rows.sort(comparator(sort));
    const page = rows.slice(plan.offset, plan.offset + plan.limit).map(({ id }) => id);
    return pageOf(page, plan, rows.length, symbols);
  };

export const roleAttributeEntries = implement(roleAttributeLists, {
  identities: listInUse(identity),
  services: listInUse(service),
  postureChecks: listInUse(postureCheck),
  edgeRouters: listInUse(edgeRouter),
});
