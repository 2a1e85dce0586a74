import type { Budget } from '../budget.ts';
import { type FieldTable, finished, type Message, message, type ReadMessage, type WrittenMessage } from '../codec/message.ts';
import { textOf, utf8 } from '../text.ts';

/** A kind of message by its content type: what its body says. `I` is what a sender may give, `T` what a receiver gets. */
export interface MessageType<T, I = T> {
  readonly contentType: number;
  /** For logs. */
  readonly name: string;
  /** What a body says. @throws Malformed */
  decode(body: Uint8Array): T;
  /**
   * Reads a body step by step, and yields how many elements each step had.
   * @param most elements of all together
   * @throws Malformed
   */
  decoding(body: Uint8Array, most?: number): Generator<number, T>;
  /** The body that says it. */
  encode(value: I): Uint8Array;
}

/** What one message of a kind may hold. */
export interface Bounds {
  /** Bytes of its body at most. */
  readonly bytes: number;
  /** Elements of its body at most: fields, values of lists and entries of maps, nested ones included. 0 where the body is text, or not read. */
  readonly elements: number;
  /** Milliseconds of processor time that it costs to handle one, beside reading it; about as measured. Default 0. */
  readonly cost?: number;
}

/** A kind of message that routers send. Only such ones are handled: what one may hold has to be declared. */
export interface RouterMessage<T, I = T> extends MessageType<T, I> {
  readonly bounds: Bounds;
  /** What a body says. A long one is read with turns for others. @throws Malformed; OverBudget */
  read(body: Uint8Array, budget: Budget): Promise<T>;
}

/** What the body of a message says, as its receiver gets it. */
export type MessageBody<M> = M extends { decode(body: Uint8Array): infer T } ? T : never;

/** A message whose body is a table of fields. */
export const tabled = <const F extends FieldTable>(
  contentType: number,
  name: string,
  fields: F,
): MessageType<ReadMessage<F>, WrittenMessage<F>> => {
  const { decode, decoding, encode }: Message<ReadMessage<F>, WrittenMessage<F>> = message(fields);
  return { contentType, name, decode, decoding, encode };
};

/** A message whose body is text, or empty. */
export const worded = (contentType: number, name: string): MessageType<string> => ({
  contentType,
  name,
  decode: textOf,
  decoding: inOneStep(textOf),
  encode: utf8,
});

/** A message whose body means nothing here: it is neither read nor written. */
export const unread = (contentType: number, name: string): MessageType<undefined> => ({
  contentType,
  name,
  decode: () => undefined,
  decoding: inOneStep(() => undefined),
  encode: () => new Uint8Array(),
});

const inOneStep = <T>(decode: (body: Uint8Array) => T) =>
  // biome-ignore lint/correctness/useYield: there is nothing between its beginning and its end
  function* (body: Uint8Array): Generator<number, T> {
    return decode(body);
  };

/** A message that routers send, which holds no more than this. */
export const fromRouters = <T, I>(bounds: Bounds, type: MessageType<T, I>): RouterMessage<T, I> => ({
  ...type,
  bounds,
  decode: (body) => finished(type.decoding(body, bounds.elements)),
  read: (body, budget) => budget.run(type.decoding(body, bounds.elements)),
});

/** The same message for senders whose body is encoded already, as when many get the same. */
export const encodedBefore = <T>(type: MessageType<T, never>): MessageType<T, Uint8Array> => ({ ...type, encode: (body) => body });
