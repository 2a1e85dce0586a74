import { identity } from '../../api/identities.ts';
import type { Page } from '../../api/kit/operation.ts';
import type { Resource } from '../../api/kit/resource.ts';
import { postureCheck } from '../../api/posture-checks/index.ts';
import { roleAttributeLists } from '../../api/role-attributes.ts';
import { edgeRouter } from '../../api/routers.ts';
import { service } from '../../api/services.ts';
import type { Call, Handler } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { comparator, compileMatcher, fieldSymbol, symbolsOf } from '../../query/index.ts';
import { assertAffordableInMemory } from '../../resources/budget.ts';
import { type ListInput, pageOf, planList } from '../../resources/lists.ts';

/** The only field of an attribute is itself. */
const symbols = symbolsOf('roleAttribute', { id: fieldSymbol('string', 'id') });

/** The distinct attributes that entities of a kind carry. The store finds them; narrowing so short a list needs none. */
const listInUse =
  (kind: unknown): Handler<ListInput, Page<string>> =>
  async (call: Call, input) => {
    const plan = planList(symbols, input, { defaultLimit: Infinity });
    const attributes = await call.read((entities) => entities.distinct(kind as Resource, 'roleAttributes')); // a kind of the list of kinds
    assertAffordableInMemory(call, input, plan, attributes.length);
    const rows = attributes.map((id) => ({ id })).filter(compileMatcher(plan.where));
    if (plan.sort.length > 0) rows.sort(comparator(plan.sort));
    const page = rows.slice(plan.offset, plan.offset + plan.limit).map(({ id }) => id);
    return pageOf(page, plan, rows.length, symbols);
  };

export const roleAttributeEntries = implement(roleAttributeLists, {
  identities: listInUse(identity),
  services: listInUse(service),
  postureChecks: listInUse(postureCheck),
  edgeRouters: listInUse(edgeRouter),
});
