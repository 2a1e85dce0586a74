import type { Core } from '../../call/core.ts';
import { after, MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { createRequestRate } from '../../runtime/platform/request-rate.ts';
import type { ToggledRouter, TraceToggle, Traffic } from '../../runtime/presence/traffic.ts';
import type { Budget } from '../control-channel/budget.ts';
import { header } from '../control-channel/header-fields.ts';
import { Malformed } from '../control-channel/malformed.ts';
import { channelMessages } from '../control-channel/messages/channel.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import { Unanswered } from '../control-channel/requests.ts';
import type { ConnectedRouter, ConnectedRouters } from '../registry/connected-routers.ts';
import type { HandlerEntry } from '../registry/message-handlers.ts';
import { exactPattern } from '../view/id-pattern.ts';
import { timeOf } from './identity-events.ts';
import type { EndsOf } from './metric-events.ts';

const { togglePipeTraces, traceEvent } = routerMessages;
const { result } = channelMessages;

type Trace = MessageBody<typeof traceEvent>;
type TracedRouter = Pick<ConnectedRouter, 'id' | 'channel'>;

/** Traces of the messages of routers. */
export interface RouterTraces {
  readonly toggle: Traffic['toggleTraces'];
  handler(router: TracedRouter, endsOf: EndsOf): HandlerEntry;
}

/** Time after which routers are asked to stop if nobody follows the traces. ms */
const UNFOLLOWED_FOR = 5 * MINUTE;
/** Maximum number of traces of a router per minute, and at once. A router that sends more has its traces turned off. */
const TRACES_PER_MINUTE = 30_000;
const BURST = 5000;
/** Interval at which a router that does not stop is asked again. ms */
const STOP_INTERVAL = 10_000;
/** Time limit for the answers of routers: command lines wait for 5 s. ms */
const TIMEOUT = 4000;
/** Maximum length of the report of a router, and of all reports. UTF-16 units */
const MAX_REPORT = 65_536;
const MAX_REPORTS = 1_048_576;
/** Maximum length of a text in a trace. UTF-16 units */
const MAX_TEXT = 255;
/** Maximum length of the description of a message, and number of its fields. Longer descriptions are left out. UTF-16 units */
const MAX_DESCRIPTION = 8192;
const MAX_FIELDS = 64;

/**
 * Has routers trace their messages, and emits the traces. Routers trace until they are asked to stop, even if the operator who turned
 * traces on has left. The controller asks them when nobody has followed the traces for some minutes, and a router that sends too many.
 */
export const createRouterTraces = ({
  core,
  connected,
}: {
  readonly core: Pick<Core, 'networkEvents' | 'controllerId'> & { readonly platform: Pick<Platform, 'clock' | 'logger'> };
  readonly connected: Pick<ConnectedRouters, 'get' | 'all'>;
}): RouterTraces => {
  const { networkEvents, platform, controllerId } = core;
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  /** Ids of the routers that trace. */
  const tracing = new Set<string>();
  let cancelStop = (): void => undefined;

  const stop = async ({ id, channel }: TracedRouter): Promise<void> => {
    tracing.delete(id);
    const request = { enable: false, appRegex: exactPattern(id), pipeRegex: '.*' };
    // A router that does not stop is asked again when its next trace arrives.
    await channel.request(togglePipeTraces, request, { milliseconds: TIMEOUT }).catch(() => undefined);
  };
  const stopLater = (): void => {
    cancelStop();
    if (tracing.size === 0) return;
    cancelStop = after(clock, UNFOLLOWED_FOR, () => {
      for (const id of tracing) {
        const router = connected.get(id);
        if (router) void stop(router);
      }
      tracing.clear();
    });
  };
  networkEvents.whileHeard(['trace'], () => {
    cancelStop();
    return stopLater;
  });

  const ask = async (
    { id: routerId, channel }: TracedRouter,
    toggle: TraceToggle,
    remaining: { units: number },
  ): Promise<ToggledRouter> => {
    const failed = (report: string): ToggledRouter => ({ routerId, isSelected: true, success: false, report });
    try {
      if (toggle.enable) tracing.add(routerId);
      const request = { ...toggle, appRegex: exactPattern(routerId) };
      const answer = await channel.request(togglePipeTraces, request, { milliseconds: TIMEOUT });
      if (answer.contentType !== result.contentType) return failed('the router sent an answer of another type');
      const report = beginningOf(result.decode(answer.body), Math.min(MAX_REPORT, remaining.units));
      remaining.units -= report.length;
      return { routerId, isSelected: true, success: header.success.in(answer) === true, report };
    } catch (error) {
      if (error instanceof Malformed) channel.close(error.message);
      if (error instanceof Unanswered) return failed(error.message);
      if (channel.signal.aborted) return failed('the connection of the router has ended');
      throw error;
    }
  };
  return {
    toggle: async (toggle, isSelected) => {
      const remaining = { units: MAX_REPORTS };
      // All at once: those that do not answer hold up no others, and the requests are small.
      const toggled = await Promise.all(
        connected
          .all()
          .map((router) =>
            isSelected(router.id) ? ask(router, toggle, remaining) : { routerId: router.id, isSelected: false, success: true, report: '' },
          ),
      );
      if (!networkEvents.isHeard('trace')) stopLater();
      return toggled;
    },
    handler: (router, endsOf) => {
      const { id } = router;
      const rate = createRequestRate(clock);
      let stoppedAt = Number.NEGATIVE_INFINITY;
      const askToStop = (reason: string): void => {
        if (monotonic(clock) - stoppedAt < STOP_INTERVAL) return;
        stoppedAt = monotonic(clock);
        log('info', 'the traces of a router are turned off', { routerId: id, reason });
        networkEvents.emit('trace', () => stoppedEvent(controllerId, id, reason));
        void stop(router);
      };
      const take = async (body: Uint8Array, budget: Budget) => {
        const isHeard = networkEvents.isHeard('trace');
        if (rate.take(TRACES_PER_MINUTE, BURST) > 0) askToStop(`it sends more than ${TRACES_PER_MINUTE / 60} traces a second`);
        else if (!isHeard && !tracing.has(id)) askToStop('nobody follows them');
        else if (isHeard) {
          budget.spend({ milliseconds: traceEvent.bounds.cost ?? 0 });
          const trace = await traceEvent.read(body, budget);
          return () => networkEvents.emit('trace', () => traceEventOf(id, trace, endsOf));
        }
        return () => undefined;
      };
      return [traceEvent.contentType, (budget) => (frame) => take(frame.body, budget)];
    },
  };
};

const traceEventOf = (source_id: string, trace: Trace, endsOf: EndsOf) => {
  const { timestamp, identity, channel, isRx, contentType, sequence, replyFor, length, decode } = trace;
  const fields = fieldsIn(decode);
  return {
    ...timestampOf(timestamp),
    source_id,
    // A router speaks for itself and its links only.
    identity: endsOf(identity) ? identity : source_id,
    channel: beginningOf(channel, MAX_TEXT),
    is_rx: isRx,
    content_type: contentType,
    sequence,
    reply_for: replyFor,
    length,
    ...(fields && { decode: fields }),
  };
};

/** Tells followers why there are no more traces of a router. */
const stoppedEvent = (controllerId: string, routerId: string, reason: string) => ({
  source_id: controllerId,
  identity: controllerId,
  channel: routerId,
  is_rx: false,
  content_type: 0,
  sequence: 0,
  reply_for: -1,
  length: 0,
  decode: { __decoder__: 'traces', __message__: 'Stopped', reason },
});

/** The time that a router reports, to the nanosecond. */
const timestampOf = (nanoseconds: bigint): { readonly timestamp?: string } => {
  const { timestamp } = timeOf(nanoseconds / 1_000_000n);
  return timestamp === undefined
    ? {}
    : { timestamp: `${timestamp.slice(0, 19)}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}Z` };
};

/** Names such as `sessionToken`: the values of these fields are secrets of clients, with which anyone could act as these clients. */
const SECRET = /token|secret|password/i;

/** The single values by which a router describes a message; undefined if it does not know the type of the message. */
const fieldsIn = (text: string): Readonly<Record<string, string | number | boolean>> | undefined => {
  if (text === '' || text.length > MAX_DESCRIPTION) return undefined;
  try {
    const fields = Object.entries(JSON.parse(text) as object).slice(0, MAX_FIELDS);
    return Object.fromEntries(
      fields.flatMap(([name, value]: readonly [string, unknown]) => {
        const shown = shownValue(name, value);
        return shown === undefined ? [] : [[beginningOf(name, MAX_TEXT), shown]];
      }),
    );
  } catch {
    return undefined;
  }
};

/** Undefined for lists, maps, and numbers that JSON cannot write. */
const shownValue = (name: string, value: unknown): string | number | boolean | undefined => {
  if (typeof value === 'string') return SECRET.test(name) ? '' : beginningOf(value, MAX_TEXT);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)) ? value : undefined;
};
