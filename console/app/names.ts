/** Names of entities whose ids are known. */
import { titleOf } from './kinds.ts';
import { readByIds } from './matching.ts';
import { session } from './session.ts';

export const mayList = (group: string): boolean => session.get()?.may(group, 'list') ?? false;

/** The names of entities of a group, by id. Deleted entities, and those that the session may not read, are missing. */
export const readNames = async (group: string, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  if (!mayList(group)) return new Map();
  const entities = await readByIds(group, [...new Set(ids)], signal);
  return new Map(entities.map((entity) => [entity.id, titleOf(entity)]));
};

/** The group that has the page of a router. */
export type RouterGroupOf = (id: string) => 'edgeRouters' | 'transitRouters';

/** Reads which routers are edge routers: references of the fabric do not tell. */
export const readRouterGroups = async (ids: readonly string[], signal: AbortSignal): Promise<RouterGroupOf> => {
  const edgeRouters = await readNames('edgeRouters', ids, signal);
  return (id) => (edgeRouters.has(id) ? 'edgeRouters' : 'transitRouters');
};
