/** The routers that can carry a new service between those who host it and those who use it. */
import { filter as filterText } from '../../../client/index.ts';
import { countOf } from '../matching.ts';
import { client, type Session } from '../session.ts';
import type { MissingPolicies } from './service-operations.ts';

/** The routers that the session may see, and the policies that are missing. */
export interface Coverage extends MissingPolicies {
  /** Undefined for a session that may not list routers. */
  readonly routers: { readonly total: number; readonly online: number } | undefined;
  /** The selectors of identities that no policy gives a router to. */
  readonly without: readonly string[];
}

/** Selectors that are looked up one by one. Of longer lists, the rest counts as without routers. */
const MAX_LOOKED_UP = 20;

/** Reads the coverage. A policy that the session may not list and create is not missing. */
export const readCoverage = async ({ may }: Session, selectors: readonly string[], signal: AbortSignal): Promise<Coverage> => {
  const manages = (group: string): boolean => may(group, 'list') && may(group, 'create');
  const [routers, without, isServiceCovered] = await Promise.all([
    may('edgeRouters', 'list') ? countRouters(signal) : undefined,
    manages('edgeRouterPolicies') ? withoutRouters(selectors, may('identities', 'listEdgeRouters'), signal) : [],
    manages('serviceEdgeRouterPolicies') ? selects('serviceEdgeRouterPolicies', filterText`anyOf(serviceRoles) = ${'#all'}`, signal) : true,
  ]);
  return { routers, without, ofIdentities: without.length > 0, ofService: !isServiceCovered };
};

const countRouters = async (signal: AbortSignal) => {
  const [total, online] = await Promise.all([
    countOf('edgeRouters', 'disabled = false', signal),
    countOf('edgeRouters', 'disabled = false and online = true', signal),
  ]);
  return { total, online };
};

const selects = async (group: string, filter: string, signal: AbortSignal): Promise<boolean> => (await countOf(group, filter, signal)) > 0;

/** The selectors that no edge router policy covers. */
const withoutRouters = async (selectors: readonly string[], mayLookUp: boolean, signal: AbortSignal): Promise<readonly string[]> => {
  const group = 'edgeRouterPolicies';
  if (await selects(group, filterText`anyOf(identityRoles) = ${'#all'}`, signal)) return [];
  const isCovered = async (selector: string): Promise<boolean> => {
    if (await selects(group, filterText`semantic = "AnyOf" and anyOf(identityRoles) = ${selector}`, signal)) return true;
    return selector.startsWith('@') && mayLookUp && hasRouter(selector.slice(1), signal);
  };
  const covered = await Promise.all(selectors.slice(0, MAX_LOOKED_UP).map(isCovered));
  return selectors.filter((_, at) => covered[at] !== true);
};

/** True if a policy that selects the identity by its attributes gives it a router. */
const hasRouter = async (id: string, signal: AbortSignal): Promise<boolean> =>
  (await client.identities.listEdgeRouters({ id, limit: 1 }, { signal })).data.length > 0;
