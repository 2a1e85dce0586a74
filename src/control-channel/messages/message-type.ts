import { type FieldTable, type Message, message, type ReadMessage, type WrittenMessage } from '../codec/message.ts';
import { textOf, utf8 } from '../text.ts';

/** A kind of message by its content type: what its body says. `I` is what a sender may give, `T` what a receiver gets. */
export interface MessageType<T, I = T> {
  readonly contentType: number;
  /** For logs. */
  readonly name: string;
  /** What a body says. @throws Malformed */
  decode(body: Uint8Array): T;
  /** The body that says it. */
  encode(value: I): Uint8Array;
}

/** What the body of a message says, as its receiver gets it. */
export type MessageBody<M> = M extends { decode(body: Uint8Array): infer T } ? T : never;

/** A message whose body is a table of fields. */
export const tabled = <const F extends FieldTable>(
  contentType: number,
  name: string,
  fields: F,
): MessageType<ReadMessage<F>, WrittenMessage<F>> => {
  const { decode, encode }: Message<ReadMessage<F>, WrittenMessage<F>> = message(fields);
  return { contentType, name, decode, encode };
};

/** A message whose body is text, or empty. */
export const worded = (contentType: number, name: string): MessageType<string> => ({ contentType, name, decode: textOf, encode: utf8 });

/** A message whose body means nothing here: it is neither read nor written. */
export const unread = (contentType: number, name: string): MessageType<undefined> => ({
  contentType,
  name,
  decode: () => undefined,
  encode: () => new Uint8Array(),
});

/** The same message for senders whose body is encoded already, as when many get the same. */
export const encodedBefore = <T>({ contentType, name, decode }: MessageType<T, never>): MessageType<T, Uint8Array> => ({
  contentType,
  name,
  decode,
  encode: (body) => body,
});
