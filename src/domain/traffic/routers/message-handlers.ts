import type { Budget } from '../../../control-channel/budget.ts';
import type { Work } from '../../../control-channel/channel.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import type { RouterMessage } from '../../../control-channel/messages/message-type.ts';

/** Reads a message of one router. @returns what is done for it @throws Malformed; OverBudget */
export type MessageHandler = (frame: Frame) => Promise<Work>;

/** The handlers of messages, by content type. */
export type MessageHandlers = ReadonlyMap<number, MessageHandler>;

/** A handler, and the content type that it is of. What the message costs is paid from the budget of its router. */
export type HandlerRow = readonly [contentType: number, handlerOf: (budget: Budget) => MessageHandler];

/** Handles a message. @param work gets what the message says, and what pays for long work */
export const handling = <T>(
  message: RouterMessage<T, never>,
  work: (said: T, frame: Frame, budget: Budget) => void | Promise<void>,
): HandlerRow => [
  message.contentType,
  (budget) => async (frame) => {
    budget.spend({ milliseconds: message.bounds.cost ?? 0 });
    const said = await message.read(frame.body, budget);
    return () => work(said, frame, budget);
  },
];

/** Handlers by content type. */
export const handlersOf = (budget: Budget, rows: readonly HandlerRow[]): MessageHandlers =>
  new Map(rows.map(([contentType, handlerOf]) => [contentType, handlerOf(budget)]));
