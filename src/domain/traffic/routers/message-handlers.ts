import type { Budget } from '../../../control-channel/budget.ts';
import type { Work } from '../../../control-channel/channel.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import type { RouterMessage } from '../../../control-channel/messages/message-type.ts';

/** Reads a message of one router. @returns the work that it asks for @throws Malformed; OverBudget */
export type MessageHandler = (frame: Frame) => Promise<Work>;

/** Handlers of one router, by content type. */
export type MessageHandlers = ReadonlyMap<number, MessageHandler>;

/** A handler with its content type. The budget of the router pays for its messages. */
export type HandlerEntry = readonly [contentType: number, handlerOf: (budget: Budget) => MessageHandler];

/** The entry of a message. @param work gets the decoded body, and the budget for long work */
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
