import type { Frame } from '../../../control-channel/frame.ts';
import type { MessageType } from '../../../control-channel/messages/message-type.ts';

/** Handles a message of one router. */
export type MessageHandler = (frame: Frame) => void | Promise<void>;

/** The handlers of messages, by content type. */
export type MessageHandlers = ReadonlyMap<number, MessageHandler>;

/** A handler, and the message that it is of. */
export type HandlerRow = readonly [message: Pick<MessageType<unknown>, 'contentType'>, handler: MessageHandler];

/** Handlers by the messages that they are of. */
export const handlersOf = (rows: readonly HandlerRow[]): MessageHandlers =>
  new Map(rows.map(([{ contentType }, handler]) => [contentType, handler]));
