import { after } from '../../../platform/timers.ts';
import type { HostingPlace } from './hosted-terminators.ts';
import { hostStanding } from './restore.ts';

/** By then, a terminator that a router has told this controller of is hosted. ms */
const SETTLED_MS = 250;

/** A router may be connected to several controllers. It tells one of them what it hosts; here the others hear of that from the change log. */
export const hearOfHosted = (place: HostingPlace): void => {
  const {
    fabric: { core, events, connected },
    hosted,
  } = place;
  /** By router. */
  const waiting = new Map<string, string[]>();
  const take = async (routerId: string) => {
    const ids = (waiting.get(routerId) ?? []).filter((id) => !hosted.get(id));
    waiting.delete(routerId);
    const router = connected.get(routerId);
    if (router && ids.length > 0) await hostStanding(place, router, ids);
  };
  events.on('terminator', ({ action, entityId, after: row }) => {
    if (action !== 'create' || !row || hosted.get(entityId) || !connected.get(row.routerId)) return;
    const ids = waiting.get(row.routerId);
    if (ids) return void ids.push(entityId);
    waiting.set(row.routerId, [entityId]);
    after(core.platform.clock, SETTLED_MS, () => {
      take(row.routerId).catch((error: unknown) =>
        core.platform.logger.warn('what a router hosts through another controller could not be read', { routerId: row.routerId, error }),
      );
    });
  });
};
