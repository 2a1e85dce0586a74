import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import { encodedBefore, type MessageBody, type MessageType } from '../../../control-channel/messages/message-type.ts';
import { HOUR, MINUTE } from '../../../platform/durations.ts';
import { after, monotonic } from '../../../platform/timers.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import type { SentSet } from './change-sets.ts';
import { followDataModel } from './follower.ts';
import type { DataFeed } from './timeline.ts';

const { subscribeToDataModel } = dataModelMessages;
const dataState = encodedBefore(dataModelMessages.dataState);
const changeSet = encodedBefore(dataModelMessages.changeSet);

/** How often it is looked for what changes with time. ms */
const REFRESH_EVERY = MINUTE;
/** When it is tried again to read what could not be read. ms */
const RETRY_AFTER = 5000;
/** A router renews its subscription when its time is over: until the message comes, it is told of changes all the same. ms */
const GRACE = MINUTE;
/** ms */
const LONGEST = HOUR;

/** Bytes that are sent in a millisecond of processor time. */
const SENT_IN_MS = 1_000_000;

type Subscription = MessageBody<typeof subscribeToDataModel> & { sent: number };

/**
 * Keeps the data model of the routers that have subscribed to it: all of it at first, then each change of it, in the order of the change log. Where a change is
 * missing, all again. It is held in memory as long as a router is subscribed.
 */
export const syncDataModel = (fabric: Pick<Fabric, 'core' | 'events'>): ((router: ConnectedRouter) => readonly HandlerRow[]) => {
  const { clock, logger } = fabric.core.platform;
  /** Until when each is subscribed, monotonic ms. */
  const subscribed = new Map<ConnectedRouter, number>();
  /** Those that have asked, and were not answered yet. */
  const asking = new Map<ConnectedRouter, Subscription>();
  let isTicking = false;

  /** Whether any router is to be told. Those that have gone, or have not renewed their subscription, are forgotten. */
  const isNeeded = (): boolean => {
    const now = monotonic(clock);
    for (const [router, until] of subscribed) if (until < now || router.channel.signal.aborted) subscribed.delete(router);
    for (const router of asking.keys()) if (router.channel.signal.aborted) asking.delete(router);
    return subscribed.size + asking.size > 0;
  };
  const tellAll = (message: MessageType<unknown, Uint8Array>, body: Uint8Array): void => {
    for (const { channel } of subscribed.keys()) if (!channel.signal.aborted) channel.send(message, body);
  };
  const failed = (error: unknown): void => {
    if (!isNeeded()) return;
    logger.warn('routers could not be told of the data model, which is tried again', { error });
    after(clock, RETRY_AFTER, () => void proceed());
  };
  const change = ({ body }: SentSet): void => tellAll(changeSet, body);
  const following = followDataModel(
    fabric,
    {
      begin: async (feed) => {
        if (subscribed.size > 0) tellAll(dataState, await feed.state());
      },
      change,
    },
    failed,
  );

  const answer = async (feed: DataFeed): Promise<void> => {
    for (const [router, subscription] of asking) {
      const { currentIndex, timelineId, subscriptionDurationSeconds } = subscription;
      const missed = feed.since(timelineId, currentIndex);
      const state = missed ? undefined : await feed.state();
      asking.delete(router);
      const { channel } = router;
      if (channel.signal.aborted) continue;
      if (state) channel.send(dataState, state);
      for (const { body } of missed ?? []) channel.send(changeSet, body);
      subscription.sent = [state, ...(missed ?? []).map(({ body }) => body)].reduce((sum, body) => sum + (body?.length ?? 0), 0);
      subscribed.set(router, monotonic(clock) + Math.min(subscriptionDurationSeconds * 1000, LONGEST) + GRACE);
    }
  };
  const proceed = (): Promise<void> => following.run(answer).catch(failed);

  const refresh = async (feed: DataFeed): Promise<void> => {
    const set = await feed.refresh();
    if (set) change(set);
  };
  const tick = (): void => {
    isTicking = isNeeded();
    if (!isTicking) return void following.rest(isNeeded);
    following.run(refresh).catch(failed);
    after(clock, REFRESH_EVERY, tick);
  };
  return (router) => [
    handling(subscribeToDataModel, async (said, _frame, budget) => {
      const subscription = { ...said, sent: 0 };
      asking.set(router, subscription);
      if (!isTicking) after(clock, REFRESH_EVERY, tick);
      isTicking = true;
      // Answered before more of what the router sends is handled: an answer may be a million times as long as the question.
      await proceed();
      budget.spend({ milliseconds: subscription.sent / SENT_IN_MS });
    }),
  ];
};
