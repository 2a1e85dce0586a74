import { router } from '../../../api/routers.ts';
import type { Entities } from '../../../entities/entities.ts';
import type { TrafficLink } from '../../../presence/traffic.ts';
import { rowsById } from '../../../resources/references.ts';
import { fabricReference } from './references.ts';

/** A link as filters see it. */
export const linkDocument = ({ id, protocol, dialAddress, from, to, cost, iteration, connections }: TrafficLink) => ({
  id,
  protocol,
  dialAddress,
  sourceRouter: from,
  destRouter: to,
  state: 'Connected',
  down: false,
  staticCost: cost,
  sourceLatency: 0,
  destLatency: 0,
  cost,
  iteration,
  connections: [...connections],
});

type LinkDocument = ReturnType<typeof linkDocument>;

/** Links with the names of their routers: one query for all of them. */
export const shownLinks = async (entities: Entities, links: readonly LinkDocument[]) => {
  const ids = links.flatMap(({ sourceRouter, destRouter }) => [sourceRouter, destRouter]);
  const routers = await rowsById(entities, router, ids);
  const routerAt = (id: string) => fabricReference('routers', id, routers.get(id)?.name);
  return links.map((link) => ({ ...link, sourceRouter: routerAt(link.sourceRouter), destRouter: routerAt(link.destRouter) }));
};
