import { createSemaphore } from '../../../concurrency/semaphore.ts';
import { Malformed } from '../../../control-channel/malformed.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import { Unanswered } from '../../../control-channel/requests.ts';
import type { ConnectedRouters } from '../routers/connected.ts';

const { inspectRequest, inspectResponse } = routerMessages;

/** Values of routers that are asked for, each by its name, such as `links` or `router-circuits`. */
export interface RouterInspection {
  readonly values: readonly string[];
  /** Default: all that are connected. */
  readonly routerIds?: readonly string[];
}

/** What a router has answered. */
export interface InspectedRouter {
  readonly routerId: string;
  /** Why some of the values, or all, are missing. */
  readonly errors: readonly string[];
  /** Each as the router says it: mostly JSON, sometimes other text. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

/** Asks routers that are connected to a controller. */
export type InspectRouters = (wanted: RouterInspection) => Promise<readonly InspectedRouter[]>;

/** Routers that are asked at once: their answers may be large. */
const AT_ONCE = 16;

/** How long a router may take. ms */
const WITHIN = 10_000;

export const createInspectRouters = (connected: ConnectedRouters): InspectRouters => {
  const turns = createSemaphore(AT_ONCE);
  const inspect = async (routerId: string, requestedValues: readonly string[]): Promise<InspectedRouter> => {
    const failed = (error: string): InspectedRouter => ({ routerId, errors: [error], values: [] });
    const router = connected.get(routerId);
    if (!router) return failed('the router is not connected');
    try {
      const answer = await router.channel.request(inspectRequest, { requestedValues }, { milliseconds: WITHIN });
      if (answer.contentType !== inspectResponse.contentType) return failed('the router has answered with something else');
      const { errors, values } = inspectResponse.decode(answer.body);
      return { routerId, errors, values };
    } catch (error) {
      if (error instanceof Malformed) router.channel.close(error.message);
      if (router.channel.signal.aborted) return failed(String(router.channel.signal.reason?.message));
      if (error instanceof Unanswered) return failed(error.message);
      throw error;
    }
  };
  return ({ values, routerIds = connected.all().map(({ id }) => id) }) =>
    Promise.all([...new Set(routerIds)].map((id) => turns.run(() => inspect(id, values))));
};
