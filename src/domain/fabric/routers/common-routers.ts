import { edgeRouter, type identity, type service } from '../../../api/kinds.ts';
import type { AnyRow, PolicyPath, RowOf } from '../../../api/kit/index.ts';
import type { Core } from '../../../call/core.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { listing } from '../../../entities/reads.ts';
import type { Connections } from '../../../presence/connections.ts';
import { and, not, type Predicate } from '../../../query/index.ts';
import { identityToRouters, serviceToRouters, sideOf } from '../../policy/policies/traversal.ts';
import { memoized } from '../../policy/posture/memoized.ts';
import { maybeSelecting, type Selectable, type Side, selectedBy } from '../../policy/roles/membership.ts';
import { indexEntities, selectingEach } from '../../policy/roles/selection-index.ts';
import { online, presenceOf } from './online.ts';

/** Maximum number of routers that a client receives for one service. */
const MAX_ROUTERS = 25;

type Router = RowOf<typeof edgeRouter>;

export interface IdentityAndService {
  readonly identity: RowOf<typeof identity>;
  readonly service: RowOf<typeof service>;
}

/** For each pair, the edge routers that both may use: at most 25, online ones first. Takes three queries for any number of pairs. */
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
    const both: Router[] = [];
    for (const router of routers) {
      if (both.length === MAX_ROUTERS) break;
      if (mayUse(pair, router)) both.push(router);
    }
    found.push(both);
    await yieldIfDue(1 + routers.length);
  }
  return found;
};

type RouterAccess = (pair: IdentityAndService, router: Router) => boolean;

/** For each pair, whether both may use one of these routers. Takes one query for any number of pairs. */
export const routerAccess = async (
  entities: Entities,
  pairs: readonly IdentityAndService[],
  routers: readonly Router[],
): Promise<RouterAccess> => routerAccessBy(await loadPairSides(entities, pairs), routers);

/** For each identity, whether policies allow it to use any of these routers, regardless of services. Takes one query for any number of identities. */
export const identityRouterAccess = async (
  entities: Entities,
  identities: Iterable<IdentityAndService['identity']>,
  routers: readonly Router[],
): Promise<(identity: IdentityAndService['identity'], router: Router) => boolean> => {
  const starts = new Set(identities);
  const [rows] = await entities.readAll([policiesQuery(identityToRouters, starts)]);
  const ofIdentities = await oppositeSidesOf(identityToRouters, starts, rows);
  const reached = reachedAmong(routers);
  const ofIdentity = memoized((identity: IdentityAndService['identity']) => reached(ofIdentities.get(identity)));
  return (identity, router) => ofIdentity(identity).has(router);
};

const onlineFirst = async (entities: Entities, where: Predicate, presence: Connections, max: number): Promise<readonly Router[]> => {
  const limit = (taken: number) => (max === Infinity ? {} : { limit: max - taken });
  if (presence.keys('reached').length === 0) return entities.list(edgeRouter, { where, ...limit(0) });
  const isOnline = online(presence);
  const first = await entities.list(edgeRouter, { where: and(where, isOnline), ...limit(0) });
  if (first.length === max) return first;
  return [...first, ...(await entities.list(edgeRouter, { where: and(where, not(isOnline)), ...limit(first.length) }))];
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

/** The policies that may select any of these. */
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

/** The routers to which any of the policies lead. */
const reachedBy = (sides: OppositeSides<unknown>): Promise<Predicate> => selectedBy([...new Set([...sides.values()].flat())]);

/** The routers among these that any of the sides selects. */
const reachedAmong = (routers: readonly Router[]): ((sides?: readonly Side[]) => ReadonlySet<Router>) => {
  const selected = memoized(indexEntities(routers));
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
  const ofIdentity = memoized((identity: IdentityAndService['identity']) => reached(ofIdentities.get(identity)));
  const ofService = memoized((service: IdentityAndService['service']) => reached(ofServices.get(service)));
  return ({ identity, service }, router) => ofIdentity(identity).has(router) && ofService(service).has(router);
};

/** A router as shown to clients that want to reach a service. */
export const shownRouter = (router: Router, { presence, settings }: Pick<Core, 'presence' | 'settings'>) => {
  const { name, cost, noTraversal, disabled } = router;
  const { versionInfo: _, ...present } = presenceOf(presence, router);
  const { version: _version, capabilities: _capabilities, ...presentIn17 } = present;
  return { name, ...(settings.compat === '1.7' ? presentIn17 : present), cost, noTraversal, disabled };
};
