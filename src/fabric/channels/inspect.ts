import { terminator } from '../../contract/api/terminators.ts';
import { and, equals, stringField } from '../../query/index.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import type { InspectedRouter } from '../../runtime/presence/traffic.ts';
import { Malformed } from '../control-channel/malformed.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import { Unanswered } from '../control-channel/requests.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { shownTexts } from '../view/shown-to-operators.ts';

const { inspectRequest, inspectResponse } = routerMessages;

/** A request for values that only routers know, by name, e.g. `links` or `router-circuits`. */
export interface RouterInspection {
  readonly values: readonly string[];
  /** Default: all connected routers. */
  readonly routerIds?: readonly string[];
}

/** Inspects the routers that are connected to a controller. */
export type InspectRouters = (inspection: RouterInspection) => Promise<readonly InspectedRouter[]>;

/** Number of routers that are inspected concurrently: their answers may be large. */
const CONCURRENCY = 16;

/** Time limit for the answers of all routers. ms */
const TIMEOUT = 10_000;

/** Maximum total size of all answers, in bytes. Answers beyond it are dropped. */
const MAX_BYTES = 8_388_608;

/**
 * The terminators of a router's tunneler. Asked for them, a router of the 1.7 line that has no tunneler ends. Routers read names as in
 * lower case, also `İ`, which is lowered to `i` there.
 */
const OF_TUNNELERS = /^ert-term[iİ]nators$/i;
const NO_TUNNELER = 'ert-terminators: the controller knows no terminators of a tunneler of the router, and does not ask for them';

export const createInspectRouters = ({ core, connected }: Pick<Fabric, 'core' | 'connected'>): InspectRouters => {
  const { clock } = core.platform;
  const semaphore = createSemaphore(CONCURRENCY);
  /** Remaining time and bytes for one inspection. */
  interface Remaining {
    readonly deadline: number;
    bytes: number;
  }
  const inspect = async (routerId: string, requestedValues: readonly string[], remaining: Remaining): Promise<InspectedRouter> => {
    const failed = (error: string): InspectedRouter => ({ routerId, errors: [error], values: [] });
    const router = connected.get(routerId);
    if (!router) return failed('the router is not connected');
    const milliseconds = remaining.deadline - monotonic(clock);
    if (milliseconds <= 0 || remaining.bytes <= 0) return failed('the answers of other routers have used up the time or the size limit');
    try {
      const answer = await router.channel.request(inspectRequest, { requestedValues }, { milliseconds });
      remaining.bytes -= answer.body.length;
      if (remaining.bytes < 0) return failed(`the answers of all routers have more than ${MAX_BYTES} bytes`);
      if (answer.contentType !== inspectResponse.contentType) return failed('the router sent an answer of another type');
      const { errors, values } = inspectResponse.decode(answer.body);
      const [names, texts] = [await shownTexts(values.map(({ name }) => name)), await shownTexts(values.map(({ value }) => value))];
      return { routerId, errors: await shownTexts(errors), values: names.map((name, i) => ({ name, value: texts[i] ?? '' })) };
    } catch (error) {
      if (error instanceof Malformed) router.channel.close(error.message);
      if (router.channel.signal.aborted) return failed(String(router.channel.signal.reason?.message));
      if (error instanceof Unanswered) return failed(error.message);
      throw error;
    }
  };
  const hasTunneler = (routerId: string): Promise<boolean> =>
    forRouters(core, (job) =>
      job.read(async (entities) => {
        // Administrators may create others with this binding.
        const own = and(equals(stringField('routerId'), routerId), equals(stringField('hostId'), routerId));
        const where = and(own, equals(stringField('binding'), 'tunnel'));
        return (await entities.list(terminator, { where, limit: 1 })).length > 0;
      }),
    );
  /** The same, without what a router could not bear to be asked. */
  const inspectSafely = async (routerId: string, values: readonly string[], remaining: Remaining): Promise<InspectedRouter> => {
    const others = values.filter((value) => !OF_TUNNELERS.test(value));
    if (others.length === values.length || !connected.get(routerId) || (await hasTunneler(routerId)))
      return inspect(routerId, values, remaining);
    const found = others.length > 0 ? await inspect(routerId, others, remaining) : { routerId, errors: [], values: [] };
    return { ...found, errors: [NO_TUNNELER, ...found.errors] };
  };
  return ({ values, routerIds = connected.all().map(({ id }) => id) }) => {
    const remaining = { deadline: monotonic(clock) + TIMEOUT, bytes: MAX_BYTES };
    return Promise.all([...new Set(routerIds)].map((id) => semaphore.run(() => inspectSafely(id, values, remaining))));
  };
};
