import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import { type MessageBody, type MessageType, preEncoded } from '../../../control-channel/messages/message-type.ts';
import { after, HOUR, MINUTE, monotonic } from '../../../platform/clock.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import { type HandlerEntry, handle } from '../routers/message-handlers.ts';
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

type Subscription = MessageBody<typeof subscribeToDataModel> & { sentBytes: number };

/**
 * Publishes the data model to subscribed routers: the full state first, then each change set in the order of the change log, and the full state again if a
 * change is missing. The model is in memory only while a router is subscribed.
 */
export const syncDataModel = (fabric: Pick<Fabric, 'core' | 'events'>): ((router: ConnectedRouter) => readonly HandlerEntry[]) => {
  const { clock, logger } = fabric.core.platform;
  /** Expiry of each subscription, monotonic ms. */
  const subscribed = new Map<ConnectedRouter, number>();
  /** Requests that have not been answered. */
  const requested = new Map<ConnectedRouter, Subscription>();
  let isTicking = false;

  /** Removes expired subscriptions. @returns true if any remain */
  const hasSubscribers = (): boolean => {
    const now = monotonic(clock);
    for (const [router, until] of subscribed) if (until < now || router.channel.signal.aborted) subscribed.delete(router);
    for (const router of requested.keys()) if (router.channel.signal.aborted) requested.delete(router);
    return subscribed.size + requested.size > 0;
  };
  const sendAll = (message: MessageType<unknown, Uint8Array>, body: Uint8Array): void => {
    for (const { channel } of subscribed.keys()) if (!channel.signal.aborted) channel.send(message, body);
  };
  const publish = ({ body }: ModelChangeSet): void => sendAll(changeSet, body);
  const onError = (error: unknown): void => {
    if (!hasSubscribers()) return;
    logger.warn(`the data model could not be sent to routers; trying again in ${RETRY_DELAY / 1000} s`, { error });
    after(clock, RETRY_DELAY, () => void answerAll());
  };
  const reset = async (timeline: ModelTimeline): Promise<void> => {
    if (subscribed.size > 0) sendAll(dataState, await timeline.state());
  };
  const follower = followDataModel(fabric, { reset, publish }, onError);

  const answer = async (timeline: ModelTimeline): Promise<void> => {
    for (const [router, subscription] of requested) {
      const { currentIndex, timelineId, subscriptionDurationSeconds } = subscription;
      const missed = timeline.since(timelineId, currentIndex);
      const state = missed ? undefined : await timeline.state();
      requested.delete(router);
      const { channel } = router;
      if (channel.signal.aborted) continue;
      if (state) channel.send(dataState, state);
      for (const { body } of missed ?? []) channel.send(changeSet, body);
      subscription.sentBytes = (missed ?? []).reduce((sum, { body }) => sum + body.length, state?.length ?? 0);
      subscribed.set(router, monotonic(clock) + Math.min(subscriptionDurationSeconds * 1000, MAX_DURATION) + GRACE);
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
      const subscription = { ...body, sentBytes: 0 };
      requested.set(router, subscription);
      if (!isTicking) after(clock, REFRESH_INTERVAL, tick);
      isTicking = true;
      // Answered before the router's next messages are handled: an answer may be a million times as long as the request.
      await answerAll();
      budget.spend({ milliseconds: subscription.sentBytes / BYTES_PER_MS });
    }),
  ];
};
