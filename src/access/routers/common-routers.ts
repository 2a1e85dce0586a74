import type { Core } from '../../call/core.ts';
import { edgeRouter, type identity, type service } from '../../contract/api/kinds.ts';
import type { AnyRow, PolicyPath, RowOf } from '../../contract/api/kit/index.ts';
import { and, not, type Predicate } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { Connections } from '../../runtime/presence/connections.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { listing } from '../../store/entities/reads.ts';
import { identityToRouters, serviceToRouters, sideOf } from '../policies/traversal.ts';
import { maybeSelecting, type Selectable, type Side, selectedBy } from '../roles/membership.ts';
import { indexEntities, selectingEach } from '../roles/selection-index.ts';
import { online, presenceOf } from './presence.ts';

/** Maximum number of routers that a client receives for one service. */
const MAX_ROUTERS = 25;

type Router = RowOf<typeof edgeRouter>;

export interface IdentityAndService {
  readonly identity: RowOf<typeof identity>;
  readonly service: RowOf<typeof service>;
}

/** For each pair, the edge routers that both may use: at most `MAX_ROUTERS`, online ones first. Runs a fixed number of queries. */
export const commonRouters = async (
  entities: Entities,
  pairs: readonly IdentityAndService[],
  presence: Connections,
): Promise<readonly (readonly Router[])[]> => {
  const sides = await loadPairSides(entities, pairs);
  const where = and(await reachedBy(sides.ofIdentities), await reachedBy(sides.ofServices));
  if (where.op === 'none') return pairs.map(() => []);
  const isOnePair = sides.ofIdentities.size === 1 && sides.ofServices.size === 1;
  const routers = await onlineFirst(entities, where, presence, isOnePair ? MAX_ROUTERS : Infinity);
  const mayUse = routerAccessBy(sides, routers);
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  const found: (readonly Router[])[] = [];
  for (const pair of pairs) {
    const common: Router[] = [];
    for (const router of routers) {
      if (common.length === MAX_ROUTERS) break;
      if (mayUse(pair, router)) common.push(router);
    }
    found.push(common);
    await yieldIfDue(1 + routers.length);
  }
  return found;
};

type RouterAccess = (pair: IdentityAndService, router: Router) => boolean;

/** @returns whether the identity and the service of a pair may both use a router. Runs one query for any number of pairs. */
export const routerAccess = async (
  entities: Entities,
  pairs: readonly IdentityAndService[],
  routers: readonly Router[],
): Promise<RouterAccess> => routerAccessBy(await loadPairSides(entities, pairs), routers);

/** @returns whether policies allow an identity to use a router, for any service. Runs one query for any number of identities. */
export const identityRouterAccess = async (
  entities: Entities,
  identities: Iterable<IdentityAndService['identity']>,
  routers: readonly Router[],
): Promise<(identity: IdentityAndService['identity'], router: Router) => boolean> => {
  const starts = new Set(identities);
  const [rows] = await entities.readAll([policiesQuery(identityToRouters, starts)]);
  const ofIdentities = await oppositeSidesOf(identityToRouters, starts, rows);
  const reached = reachedAmong(routers);
  const ofIdentity = memoize((identity: IdentityAndService['identity']) => reached(ofIdentities.get(identity)));
  return (identity, router) => ofIdentity(identity).has(router);
};

const onlineFirst = async (entities: Entities, where: Predicate, presence: Connections, max: number): Promise<readonly Router[]> => {
  const list = (which: Predicate, limit: number) => entities.list(edgeRouter, { where: which, ...(limit === Infinity ? {} : { limit }) });
  if (presence.keys('reached').length === 0) return list(where, max);
  const isOnline = online(presence);
  const first = await list(and(where, isOnline), max);
  if (first.length === max) return first;
  return [...first, ...(await list(and(where, not(isOnline)), max - first.length))];
};

/** For each entity on one side of policies, the opposite sides of the policies that select it. */
type OppositeSides<E> = ReadonlyMap<E, readonly Side[]>;

interface PairSides {
  readonly ofIdentities: OppositeSides<IdentityAndService['identity']>;
  readonly ofServices: OppositeSides<IdentityAndService['service']>;
}

const loadPairSides = async (entities: Entities, pairs: readonly IdentityAndService[]): Promise<PairSides> => {
  const identities = new Set(pairs.map(({ identity }) => identity));
  const services = new Set(pairs.map(({ service }) => service));
  const [ofIdentities, ofServices] = await entities.readAll([
    policiesQuery(identityToRouters, identities),
    policiesQuery(serviceToRouters, services),
  ]);
  return {
    ofIdentities: await oppositeSidesOf(identityToRouters, identities, ofIdentities),
    ofServices: await oppositeSidesOf(serviceToRouters, services, ofServices),
  };
};

/** Reads the policies that may select any of these entities. */
const policiesQuery = ({ policies, from }: PolicyPath, starts: ReadonlySet<Selectable>) =>
  listing(policies, { where: maybeSelecting(from, [...starts]) });

const oppositeSidesOf = async <E extends Selectable>(
  { from, to }: PolicyPath,
  starts: ReadonlySet<E>,
  rows: readonly AnyRow[],
): Promise<OppositeSides<E>> => {
  const oppositeSides = new Map(rows.map((row) => [row, sideOf(row, to)]));
  const selecting = await selectingEach(starts, rows, (row) => sideOf(row, from));
  return new Map([...selecting].map(([start, policies]) => [start, policies.flatMap((row) => oppositeSides.get(row) ?? [])]));
};

/** Selects the routers that any of the sides selects. */
const reachedBy = (sides: OppositeSides<unknown>): Promise<Predicate> => selectedBy([...new Set([...sides.values()].flat())]);

/** The routers among these that any of the sides selects. */
const reachedAmong = (routers: readonly Router[]): ((sides?: readonly Side[]) => ReadonlySet<Router>) => {
  const selected = memoize(indexEntities(routers));
  return (sides = []) => {
    const found = new Set<Router>();
    for (const side of sides) {
      if (found.size === routers.length) break;
      for (const router of selected(side)) found.add(router);
    }
    return found;
  };
};

const routerAccessBy = ({ ofIdentities, ofServices }: PairSides, routers: readonly Router[]): RouterAccess => {
  const reached = reachedAmong(routers);
  const ofIdentity = memoize((identity: IdentityAndService['identity']) => reached(ofIdentities.get(identity)));
  const ofService = memoize((service: IdentityAndService['service']) => reached(ofServices.get(service)));
  return ({ identity, service }, router) => ofIdentity(identity).has(router) && ofService(service).has(router);
};

/** A router, as clients receive it to connect to a service. */
export const presentCommonRouter = (router: Router, { presence, settings }: Pick<Core, 'presence' | 'settings'>) => {
  const { name, cost, noTraversal, disabled } = router;
  const { versionInfo: _, ...present } = presenceOf(presence, router);
  const { version: _version, capabilities: _capabilities, ...presentIn17 } = present;
  return { name, ...(settings.compat === '1.7' ? presentIn17 : present), cost, noTraversal, disabled };
};
