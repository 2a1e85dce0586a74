import type { Call } from '../../call/call.ts';
import type { edgeRouter } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';

/** The fraction of its time limit that a call may wait, so that enough time is left to answer. */
const WAIT_FRACTION = 0.8;

/**
 * Waits until one of these routers has reconnected after a restart of the controller, because clients retry only after half a minute if an
 * answer contains no address of a router. Does not wait if one of the routers is online, or if none was enrolled before the restart.
 * @returns true if it has waited, and the routers must be read again
 */
export const waitForRouters = async (call: Call, routers: readonly RowOf<typeof edgeRouter>[]): Promise<boolean> => {
  const { expectedRouters, presence, startedAt } = call.core;
  if (!expectedRouters.areExpected || call.holdsTransaction) return false;
  if (!routers.some(({ isVerified, disabled, createdAt }) => isVerified && !disabled && createdAt < startedAt)) return false;
  const isBack = () => routers.some((router) => presence.stateOf(router)?.reached !== undefined);
  return expectedRouters.wait(isBack, (call.timeLimit ?? Infinity) * WAIT_FRACTION, call.signal);
};
