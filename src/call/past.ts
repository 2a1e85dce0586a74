import { createConnections } from '../runtime/presence/connections.ts';
import { createTraffic } from '../runtime/presence/traffic.ts';
import { type OpenPast, pastStateAt } from '../store/entities/past-state.ts';
import type { Core } from './core.ts';

/** A past state of the network that calls read instead of the present one. */
export interface Past {
  readonly open: OpenPast;
  /** The services of the controller without live state: no router is connected, and no session has activity that is not stored. */
  readonly core: Core;
}

/** @throws TypeError if `when` is neither a revision nor a time */
export const pastOf = (core: Core, when: number | Date): Past => {
  const isValid = when instanceof Date ? !Number.isNaN(when.getTime()) : Number.isSafeInteger(when) && when >= 0;
  if (!isValid) throw new TypeError(`at requires a revision or a Date, got ${String(when)}`);
  const presence = createConnections(core.platform.clock, 0);
  const activity: Core['activity'] = {
    note: () => undefined,
    lastOf: ({ lastActivityAt }) => lastActivityAt,
    current: (session) => session,
  };
  return { open: pastStateAt(when), core: { ...core, presence, traffic: createTraffic(), activity } };
};
