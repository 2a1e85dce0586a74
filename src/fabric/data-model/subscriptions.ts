import { after, HOUR, MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import { edgeHeader, type Header } from '../control-channel/header-fields.ts';
import { dataModelMessages } from '../control-channel/messages/data-model.ts';
import { type MessageBody, type MessageType, preEncoded } from '../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import type { Fabric } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { followDataModel } from './follower.ts';
import type { ModelChangeSet, ModelTimeline } from './timeline.ts';

const { subscribeToDataModel } = dataModelMessages;
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

/**
 * Publishes the data model to subscribed routers: the full state first, then each change set in the order of the change log, and the full
 * state again if a change is missing. The model is in memory only while a router is subscribed.
 */
export const syncDataModel = (fabric: Pick<Fabric, 'core' | 'events'>): ((router: ConnectedRouter) => readonly HandlerEntry[]) => {
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
  const sendAll = (message: MessageType<unknown, Uint8Array>, body: Uint8Array): void => {
    for (const [{ channel }, { headers }] of subscribed) if (!channel.signal.aborted) channel.send(message, body, headers);
  };
  const publish = ({ body }: ModelChangeSet): void => sendAll(changeSet, body);
  const onError = (error: unknown): void => {
    if (!hasSubscribers()) return;
    logger.warn(`could not send the data model to routers; trying again in ${RETRY_DELAY / 1000} s`, { error });
    after(clock, RETRY_DELAY, () => void answerAll());
  };
  const reset = async (timeline: ModelTimeline): Promise<void> => {
    if (subscribed.size > 0) sendAll(dataState, await timeline.state());
  };
  const follower = followDataModel(fabric, { reset, publish }, onError);

  const answer = async (timeline: ModelTimeline): Promise<void> => {
    for (const [router, request] of requested) {
      const { currentIndex, timelineId, subscriptionDurationSeconds } = request;
      const missed = timeline.since(timelineId, currentIndex);
      const state = missed ? undefined : await timeline.state();
      requested.delete(router);
      const { channel } = router;
      if (channel.signal.aborted) continue;
      const headers = headersFor(request);
      if (state) channel.send(dataState, state, headers);
      for (const { body } of missed ?? []) channel.send(changeSet, body, headers);
      request.sentBytes = (missed ?? []).reduce((sum, { body }) => sum + body.length, state?.length ?? 0);
      const until = monotonic(clock) + Math.min(subscriptionDurationSeconds * 1000, MAX_DURATION) + GRACE;
      subscribed.set(router, { until, headers });
    }
  };
  const answerAll = (): Promise<void> => follower.run(answer).catch(onError);

  const refresh = async (timeline: ModelTimeline): Promise<void> => {
    const set = await timeline.refresh();
    if (set) publish(set);
  };
  const tick = (): void => {
    isTicking = hasSubscribers();
    if (!isTicking) return void follower.stop(hasSubscribers);
    follower.run(refresh).catch(onError);
    after(clock, REFRESH_INTERVAL, tick);
  };
  return (router) => [
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
};
