import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { after, HOUR, MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import { RouterNotAsked, type Traffic } from '../../runtime/presence/traffic.ts';
import { edgeHeader, type Header } from '../control-channel/header-fields.ts';
import { dataModelMessages } from '../control-channel/messages/data-model.ts';
import { type MessageBody, type MessageType, preEncoded } from '../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import type { Fabric } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { followDataModel } from './follower.ts';
import { inspectedModel } from './inspected-model.ts';
import type { ModelChangeSet, ModelSnapshot, ModelTimeline } from './timeline.ts';

const { subscribeToDataModel, validateModel, modelDifferences } = dataModelMessages;
const dataState = preEncoded(dataModelMessages.dataState);
const changeSet = preEncoded(dataModelMessages.changeSet);

/** Interval of checks for time-dependent changes. ms */
const REFRESH_INTERVAL = MINUTE;
/** Delay before a failed read is retried. ms */
const RETRY_DELAY = 5000;
/** Grace period after a subscription expires, because routers renew it only then. Changes are still sent during this period. ms */
const GRACE = MINUTE;
/** Maximum duration of a subscription. ms */
const MAX_DURATION = HOUR;

/** Number of routers that a message is sent to before yielding to the event loop. */
const ROUTERS_AT_ONCE = 50;
/** Bytes sent per millisecond of processor time. */
const BYTES_PER_MS = 1_000_000;

type Request = MessageBody<typeof subscribeToDataModel> & { sentBytes: number };

interface Subscription {
  /** Expiry, monotonic ms. */
  readonly until: number;
  /** The headers of its messages. */
  readonly headers: readonly Header[];
}

/** Routers of the 1.x line send no id, and get no header. */
const headersFor = ({ subscriptionId }: Request): readonly Header[] =>
  subscriptionId === '' ? [] : [edgeHeader.dataModelSubscription.of(subscriptionId)];

/** Time that a router has to compare its model. ms */
const VALIDATION_TIMEOUT = MINUTE;
/** Maximum number of differences that are listed for a router, and length of each. */
const MAX_DIFFERENCES = 500;
const MAX_DIFFERENCE = 1000;

/** The data model at the routers. */
export interface DataModelSync {
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /**
   * Asks a router to compare its model with that of the controller.
   * @param fix has it take the latter, if they differ
   * @returns the differences
   * @throws RouterNotAsked while it compares already: the question contains the model; Unanswered; Malformed
   */
  validate(router: ConnectedRouter, fix: boolean): Promise<readonly string[]>;
  readonly position: Traffic['modelPosition'];
  readonly model: Traffic['model'];
}

/**
 * Publishes the data model to subscribed routers: the full state first, then each change set in the order of the change log, and the full
 * state again if a change is missing. The model is in memory only while a router is subscribed.
 */
export const syncDataModel = (fabric: Pick<Fabric, 'core' | 'events'>): DataModelSync => {
  const { clock, logger } = fabric.core.platform;
  const subscribed = new Map<ConnectedRouter, Subscription>();
  /** Requests that have not been answered. */
  const requested = new Map<ConnectedRouter, Request>();
  let isTicking = false;

  /**
   * Removes expired subscriptions.
   * @returns true if any remain
   */
  const hasSubscribers = (): boolean => {
    const now = monotonic(clock);
    for (const [router, { until }] of subscribed) if (until < now || router.channel.signal.aborted) subscribed.delete(router);
    for (const router of requested.keys()) if (router.channel.signal.aborted) requested.delete(router);
    return subscribed.size + requested.size > 0;
  };
  const sendAll = async (message: MessageType<unknown, Uint8Array>, body: Uint8Array): Promise<void> => {
    const yieldAfterBatch = createTimeSlice(ROUTERS_AT_ONCE);
    for (const [{ channel }, { headers }] of subscribed) {
      if (!channel.signal.aborted) channel.send(message, body, headers);
      await yieldAfterBatch();
    }
  };
  const publish = ({ body }: ModelChangeSet): Promise<void> => sendAll(changeSet, body);
  const onError = (error: unknown): void => {
    if (!hasSubscribers()) return;
    logger.warn(`could not send the data model to routers; trying again in ${RETRY_DELAY / 1000} s`, { error });
    after(clock, RETRY_DELAY, () => void answerAll());
  };
  const reset = async (timeline: ModelTimeline): Promise<void> => {
    if (subscribed.size > 0) await sendAll(dataState, await timeline.state());
  };
  const follower = followDataModel(fabric, { reset, publish }, onError);

  const answer = async (timeline: ModelTimeline): Promise<void> => {
    for (const [router, request] of requested) {
      const { currentIndex, timelineId, subscriptionDurationSeconds } = request;
      const known = timeline.since(timelineId, currentIndex);
      const { state, since }: Partial<ModelSnapshot> & Pick<ModelSnapshot, 'since'> = known ? { since: known } : await timeline.snapshot();
      requested.delete(router);
      const { channel } = router;
      if (channel.signal.aborted) continue;
      const headers = headersFor(request);
      if (state) channel.send(dataState, state, headers);
      for (const { body } of since) channel.send(changeSet, body, headers);
      request.sentBytes = since.reduce((sum, { body }) => sum + body.length, state?.length ?? 0);
      const until = monotonic(clock) + Math.min(subscriptionDurationSeconds * 1000, MAX_DURATION) + GRACE;
      subscribed.set(router, { until, headers });
    }
  };
  const answerAll = (): Promise<void> => follower.run(answer).catch(onError);

  const refresh = async (timeline: ModelTimeline): Promise<void> => {
    const set = await timeline.refresh();
    if (set) await publish(set);
  };
  const tick = (): void => {
    isTicking = hasSubscribers();
    if (!isTicking) return void follower.stop(hasSubscribers);
    follower.run(refresh).catch(onError);
    after(clock, REFRESH_INTERVAL, tick);
  };
  const handlers = (router: ConnectedRouter) => [
    handle(subscribeToDataModel, async (body, _frame, budget) => {
      const request = { ...body, sentBytes: 0 };
      requested.set(router, request);
      if (!isTicking) after(clock, REFRESH_INTERVAL, tick);
      isTicking = true;
      // Answered before the router's next messages are handled: an answer may be a million times as long as the request.
      await answerAll();
      budget.spend({ milliseconds: request.sentBytes / BYTES_PER_MS });
    }),
  ];
  const comparing = new Set<ConnectedRouter>();
  const validate: DataModelSync['validate'] = async (router, fix) => {
    if (comparing.has(router)) throw new RouterNotAsked('the router is comparing its data model already');
    comparing.add(router);
    try {
      return await compare(router, fix);
    } finally {
      comparing.delete(router);
    }
  };
  const compare = async ({ channel }: ConnectedRouter, fix: boolean): Promise<readonly string[]> => {
    let state: Uint8Array = new Uint8Array();
    await follower.run(async (timeline) => {
      state = await timeline.state();
    });
    if (!isTicking) await follower.stop(hasSubscribers);
    const answer = await channel.request(validateModel, { state, fix }, { milliseconds: VALIDATION_TIMEOUT });
    const { diffs } = modelDifferences.decode(answer.body);
    const texts = diffs
      .slice(0, MAX_DIFFERENCES)
      .map(({ entityType, entityId, diffType, detail }) =>
        beginningOf(`${diffType} ${entityType} ${entityId}${detail ? `: ${detail}` : ''}`, MAX_DIFFERENCE),
      );
    return diffs.length > MAX_DIFFERENCES ? [...texts, `and ${diffs.length - MAX_DIFFERENCES} others`] : texts;
  };
  const model: Traffic['model'] = async () => {
    // Not read for this alone: it may be large.
    if (!follower.position()) return undefined;
    let found: Awaited<ReturnType<Traffic['model']>>;
    await follower.run(async (timeline) => {
      found = (await inspectedModel(timeline.events())) ?? 'tooLarge';
    });
    return found;
  };
  return { handlers, validate, position: follower.position, model };
};
