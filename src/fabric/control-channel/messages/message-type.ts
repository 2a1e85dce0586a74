import type { Budget } from '../budget.ts';
import { type FieldTable, finished, type Message, message, type ReadMessage, type WrittenMessage } from '../codec/message.ts';
import { textOf, utf8 } from '../primitives.ts';

/** A message type, with its content type and the encoding of its body. `I` is the type to encode, `T` the decoded type. */
export interface MessageType<T, I = T> {
  readonly contentType: number;
  /** For logs. */
  readonly name: string;
  /** True if it must not wait behind long messages: it is sent over the high-priority connection of the channel, if there is one. */
  readonly isUrgent?: boolean;
  /**
   * Decodes a body.
   * @throws Malformed
   */
  decode(body: Uint8Array): T;
  /**
   * Decodes a body step by step, and yields the number of elements of each.
   * @param maxElements maximum total number of elements
   * @throws Malformed
   */
  decoding(body: Uint8Array, maxElements?: number): Generator<number, T>;
  /** Encodes a body. */
  encode(value: I): Uint8Array;
}

/** Limits of one message. */
export interface Bounds {
  /** Maximum number of bytes of its body. */
  readonly bytes: number;
  /**
   * Maximum number of elements of its body: fields, list values and map entries, including nested ones. 0 if the body is text, or not read.
   */
  readonly elements: number;
  /** Approximate, measured processor time for handling a message, excluding decoding. ms, default 0 */
  readonly cost?: number;
}

/** A message type that routers send, with its limits. Messages of other types are not handled. */
export interface RouterMessage<T, I = T> extends MessageType<T, I> {
  readonly bounds: Bounds;
  /**
   * Decodes a body. Yields to the event loop if it is long.
   * @throws Malformed; OverBudget
   */
  read(body: Uint8Array, budget: Budget): Promise<T>;
}

/** The decoded body of a message. */
export type MessageBody<M> = M extends { decode(body: Uint8Array): infer T } ? T : never;

/** A message whose body is a table of fields. */
export const tableMessage = <const F extends FieldTable>(
  contentType: number,
  name: string,
  fields: F,
): MessageType<ReadMessage<F>, WrittenMessage<F>> => {
  const { decode, decoding, encode }: Message<ReadMessage<F>, WrittenMessage<F>> = message(fields);
  return { contentType, name, decode, decoding, encode };
};

/** A message whose body is text, or empty. */
export const textMessage = (contentType: number, name: string): MessageType<string> => ({
  contentType,
  name,
  decode: textOf,
  decoding: inOneStep(textOf),
  encode: utf8,
});

/** A message whose body is empty, or ignored. */
export const emptyMessage = (contentType: number, name: string): MessageType<undefined> => ({
  contentType,
  name,
  decode: () => undefined,
  decoding: inOneStep(() => undefined),
  encode: () => new Uint8Array(),
});

const inOneStep = <T>(decode: (body: Uint8Array) => T) =>
  // biome-ignore lint/correctness/useYield: it has one step
  function* (body: Uint8Array): Generator<number, T> {
    return decode(body);
  };

/** Defines a message that routers send, with its limits. */
export const fromRouters = <T, I>(bounds: Bounds, type: MessageType<T, I>): RouterMessage<T, I> => ({
  ...type,
  bounds,
  decode: (body) => finished(type.decoding(body, bounds.elements)),
  read: (body, budget) => budget.run(type.decoding(body, bounds.elements)),
});

/** The same message type, sent as urgent. */
export const urgent = <T, I>(type: MessageType<T, I>): MessageType<T, I> => ({ ...type, isUrgent: true });

/** The same message type for a body that is already encoded, so that it can be sent to several routers. */
export const preEncoded = <T>(type: MessageType<T, never>): MessageType<T, Uint8Array> => ({ ...type, encode: (body) => body });
