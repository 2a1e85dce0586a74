import { identityToRouters, reachedFrom } from '../../access/policies/traversal.ts';
import { identityOf, isAdministrator } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { listRows } from '../../call/resources/crud.ts';
import type { ListInput } from '../../call/resources/lists.ts';
import { edgeRouter, type identity } from '../../contract/api/kinds.ts';
import type { DetailOf, RowOf } from '../../contract/api/kit/index.ts';
import { and, booleanField, equals } from '../../query/index.ts';

/** The enrolled edge routers that an identity may use; an administrator may use them all. */
export const listOwnEdgeRouters = (call: Call, query: ListInput) =>
  call.read(async (entities) => {
    const owner: RowOf<typeof identity> = identityOf(call.actor);
    const verified = equals(booleanField('isVerified'), true);
    const within = isAdministrator(call.actor) ? verified : and(verified, await reachedFrom(entities, identityToRouters, owner));
    const page = await listRows(entities, edgeRouter, query, call, { within });
    return { ...page, data: page.data.map(toUsableRouter) };
  });

const toUsableRouter = ({ _links, createdAt, id, tags, updatedAt, name, ...shown }: DetailOf<typeof edgeRouter>) => {
  const { hostname, isOnline, supportedProtocols, syncStatus, version, capabilities } = shown;
  const reported = { ...(version == null ? {} : { version }), ...(capabilities == null ? {} : { capabilities }) };
  const base = { _links, createdAt, id, tags, updatedAt, name };
  return { ...base, hostname, isOnline, supportedProtocols, syncStatus, ...reported, cost: null, noTraversal: null, disabled: null };
};
