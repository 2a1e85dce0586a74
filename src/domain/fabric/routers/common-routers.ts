import type { identity } from '../../../api/identities.ts';
import type { PolicyPath } from '../../../api/kit/related-list.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import { edgeRouter } from '../../../api/routers.ts';
import type { service } from '../../../api/services.ts';
import type { Entities } from '../../../changes/entities.ts';
import { createTurns } from '../../../concurrency/event-loop.ts';
import type { Connections } from '../../../presence/connections.ts';
import { and, not, type Predicate } from '../../../query/index.ts';
import { ENTRIES_AT_ONCE } from '../../../storage/row-entries.ts';
import { identityToRouters, serviceToRouters, sideOf } from '../../policy/policies/traversal.ts';
import { maybeSelecting, type Selectable, type Side, selectedBy, selects } from '../../policy/roles/membership.ts';
import { online, presenceOf } from './online.ts';

/** Most routers that a client receives for one service. */
const MOST_ROUTERS = 25;

type Router = RowOf<typeof edgeRouter>;

export interface IdentityAndService {
  readonly identity: RowOf<typeof identity>;
  readonly service: RowOf<typeof service>;
}

/** For each pair, the edge routers that both may use: 25 at most, online ones first. Four queries for any number of pairs. */
export const commonRouters = async (
  entities: Entities,
  pairs: readonly IdentityAndService[],
  presence: Connections,
): Promise<readonly (readonly Router[])[]> => {
  const identities = [...new Set(pairs.map(({ identity }) => identity))];
  const services = [...new Set(pairs.map(({ service }) => service))];
  const forIdentities = await leading(entities, identityToRouters, identities);
  const forServices = await leading(entities, serviceToRouters, services);
  const where = and(selectedBy(forIdentities.map(({ to }) => to)), selectedBy(forServices.map(({ to }) => to)));
  if (where.op === 'none') return pairs.map(() => []);
  const isOnePair = identities.length === 1 && services.length === 1;
  const routers = await onlineFirst(entities, where, presence, isOnePair ? MOST_ROUTERS : Infinity);
  const turn = createTurns(ENTRIES_AT_ONCE);
  const found: (readonly Router[])[] = [];
  for (const { identity, service } of pairs) {
    const [ofIdentity, ofService] = [sidesFor(forIdentities, identity), sidesFor(forServices, service)];
    const may = (sides: readonly Side[], router: Router) => sides.some((side) => selects(side, router));
    const both: Router[] = [];
    for (const router of routers) {
      if (both.length === MOST_ROUTERS) break;
      if (may(ofIdentity, router) && may(ofService, router)) both.push(router);
    }
    found.push(both);
    await turn(forIdentities.length + forServices.length + routers.length);
  }
  return found;
};

/** For each pair whether both may use a router. Two queries for any number of pairs. */
export const routerAccess = async (
  entities: Entities,
  pairs: readonly IdentityAndService[],
): Promise<(pair: IdentityAndService, router: Router) => boolean> => {
  const forIdentities = await leading(entities, identityToRouters, [...new Set(pairs.map(({ identity }) => identity))]);
  const forServices = await leading(entities, serviceToRouters, [...new Set(pairs.map(({ service }) => service))]);
  return ({ identity, service }, router) =>
    sidesFor(forIdentities, identity).some((side) => selects(side, router)) &&
    sidesFor(forServices, service).some((side) => selects(side, router));
};

const onlineFirst = async (entities: Entities, where: Predicate, presence: Connections, most: number): Promise<readonly Router[]> => {
  const limit = (known: number) => (most === Infinity ? {} : { limit: most - known });
  if (presence.keys('reached').length === 0) return entities.list(edgeRouter, { where, ...limit(0) });
  const isOnline = online(presence);
  const first = await entities.list(edgeRouter, { where: and(where, isOnline), ...limit(0) });
  if (first.length === most) return first;
  return [...first, ...(await entities.list(edgeRouter, { where: and(where, not(isOnline)), ...limit(first.length) }))];
};

interface Leading {
  readonly from: Side;
  readonly to: Side;
}

const leading = async (
  entities: Entities,
  { policies, from, to }: PolicyPath,
  starts: readonly Selectable[],
): Promise<readonly Leading[]> => {
  const turn = createTurns(ENTRIES_AT_ONCE);
  const found: Leading[] = [];
  for (const row of await entities.list(policies, { where: maybeSelecting(from, starts) })) {
    const policy = { from: sideOf(row, from), to: sideOf(row, to) };
    if (starts.some((start) => selects(policy.from, start))) found.push(policy);
    await turn(policy.from.roles.length + policy.to.roles.length);
  }
  return found;
};

const sidesFor = (policies: readonly Leading[], start: Selectable): readonly Side[] =>
  policies.filter(({ from }) => selects(from, start)).map(({ to }) => to);

/** A router as clients see it that want to reach a service. */
export const shownRouter = (router: Router, presence: Connections) => {
  const { name, cost, noTraversal, disabled } = router;
  const { versionInfo: _, ...present } = presenceOf(presence, router);
  return { name, ...present, cost, noTraversal, disabled };
};
