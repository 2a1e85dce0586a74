import type { edgeRouter } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';

/** The part of its time limit that a call may wait: the rest is left for the answer. */
const WAIT_FRACTION = 0.8;

/**
 * Waits for the first of these routers to connect again after a restart of the controller. Clients ask again only after half a minute or more if an answer
 * contains no address of a router. Does not wait if one of them is online, or none was enrolled before the restart.
 * @returns true if it has waited, so that the answer must be made anew
 */
export const waitForRouters = async (call: Call, routers: readonly RowOf<typeof edgeRouter>[]): Promise<boolean> => {
  const { expectedRouters, presence, startedAt } = call.core;
  if (!expectedRouters.areExpected || call.holdsTransaction) return false;
  if (!routers.some(({ isVerified, disabled, createdAt }) => isVerified && !disabled && createdAt < startedAt)) return false;
  const isBack = () => routers.some((router) => presence.stateOf(router)?.reached !== undefined);
  return expectedRouters.wait(isBack, (call.timeLimit ?? Infinity) * WAIT_FRACTION, call.signal);
};
