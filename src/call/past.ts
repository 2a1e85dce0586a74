import { type OpenPast, pastStateAt } from '../entities/past-state.ts';
import { createConnections } from '../presence/connections.ts';
import { createTraffic } from '../presence/traffic.ts';
import type { Core } from './core.ts';

/** A past state of the network that calls read in place of the present one. */
export interface Past {
  readonly open: OpenPast;
  /** The services of the controller without what only the present has: no router is connected, and no session has activity that is not stored yet. */
  readonly core: Core;
}

/** @throws TypeError if `when` is neither a revision nor a time */
export const pastOf = (core: Core, when: number | Date): Past => {
  const isValid = when instanceof Date ? !Number.isNaN(when.getTime()) : Number.isSafeInteger(when) && when >= 0;
  if (!isValid) throw new TypeError(`at takes a revision or a Date, got ${String(when)}`);
  const presence = createConnections(core.platform.clock, 0);
  const activity: Core['activity'] = { note: () => undefined, current: (session) => session };
  return { open: pastStateAt(when), core: { ...core, presence, traffic: createTraffic(), activity } };
};
