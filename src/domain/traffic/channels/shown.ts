import { type CarriedPoint, carriedPoints, type Traffic } from '../../../presence/traffic.ts';
import type { CircuitKeeping } from '../circuits/circuits.ts';
import type { Linking } from '../links/links.ts';
import { LINK_COST } from '../links/paths.ts';
import type { ConnectedRouters } from '../routers/connected-routers.ts';
import type { InspectRouters } from './inspect.ts';

/** The traffic of these routers as operators see and end it. */
export const shownTraffic = (
  connected: ConnectedRouters,
  linking: Linking,
  circuits: CircuitKeeping,
  inspect: InspectRouters,
): Traffic => ({
  links: () => linking.links.all().map((link) => ({ ...link, cost: LINK_COST })),
  // Of a router that is away it is not known whether it still carries them.
  circuits: () => circuits.all().filter(({ path }) => path.every((routerId) => connected.get(routerId))),
  carried: () => {
    const sums: Partial<Record<CarriedPoint, number>> = {};
    for (const { carried } of connected.all())
      for (const point of carriedPoints) if (carried[point] !== undefined) sums[point] = (sums[point] ?? 0) + carried[point];
    return sums;
  },
  linkListeners: (routerId) => connected.get(routerId)?.linkListeners ?? [],
  endLink: (id) => {
    const wasKnown = linking.remove(id);
    if (wasKnown) circuits.endOver(id);
    return wasKnown;
  },
  endCircuit: circuits.end,
  inspect: (values, isAsked) => inspect({ values, routerIds: connected.all().flatMap(({ id }) => (isAsked(id) ? [id] : [])) }),
});
