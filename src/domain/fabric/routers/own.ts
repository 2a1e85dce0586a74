import { edgeRouter, type identity } from '../../../api/kinds.ts';
import type { DetailOf, RowOf } from '../../../api/kit/index.ts';
import { identityOf, isAdministrator } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { and, booleanField, equals } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import type { ListInput } from '../../../resources/lists.ts';
import { identityToRouters, reachedFrom } from '../../policy/policies/traversal.ts';

/** The enrolled edge routers that an identity may use; an administrator may use them all. */
export const listOwnEdgeRouters = (call: Call, query: ListInput) =>
  call.read(async (entities) => {
    const who: RowOf<typeof identity> = identityOf(call.actor);
    const verified = equals(booleanField('isVerified'), true);
    const where = isAdministrator(call.actor) ? verified : and(verified, await reachedFrom(entities, identityToRouters, who));
    const page = await listRows(entities, edgeRouter, query, call, { within: where });
    return { ...page, data: page.data.map(asUsable) };
  });

const asUsable = ({ _links, createdAt, id, tags, updatedAt, name, ...shown }: DetailOf<typeof edgeRouter>) => {
  const { hostname, isOnline, supportedProtocols, syncStatus, version, capabilities } = shown;
  const reported = { ...(version == null ? {} : { version }), ...(capabilities == null ? {} : { capabilities }) };
  const base = { _links, createdAt, id, tags, updatedAt, name };
  return { ...base, hostname, isOnline, supportedProtocols, syncStatus, ...reported, cost: null, noTraversal: null, disabled: null };
};
