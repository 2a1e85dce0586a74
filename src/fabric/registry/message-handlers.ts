import type { Budget } from '../control-channel/budget.ts';
import type { Work } from '../control-channel/channel.ts';
import type { Frame } from '../control-channel/frame.ts';
import type { RouterMessage } from '../control-channel/messages/message-type.ts';

/**
 * Decodes a message from one router.
 * @returns the work for it
 * @throws Malformed; OverBudget
 */
export type MessageHandler = (frame: Frame) => Promise<Work>;

/** Handlers of one router, by content type. */
export type MessageHandlers = ReadonlyMap<number, MessageHandler>;

/** A content type, and a function that creates its handler. The handler charges messages to the budget of the router. */
export type HandlerEntry = readonly [contentType: number, handlerOf: (budget: Budget) => MessageHandler];

/**
 * Creates the entry for a message type.
 * @param work receives the decoded body, and the budget to which it charges long work
 */
export const handle = <T>(
  message: RouterMessage<T, never>,
  work: (body: T, frame: Frame, budget: Budget) => void | Promise<void>,
): HandlerEntry => [
  message.contentType,
  (budget) => async (frame) => {
    budget.spend({ milliseconds: message.bounds.cost ?? 0 });
    const body = await message.read(frame.body, budget);
    return () => work(body, frame, budget);
  },
];

export const createHandlers = (budget: Budget, entries: readonly HandlerEntry[]): MessageHandlers =>
  new Map(entries.map(([contentType, handlerOf]) => [contentType, handlerOf(budget)]));
