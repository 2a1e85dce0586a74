import { createTimeSlice } from '../concurrency/event-loop.ts';
import { after } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Budget } from './budget.ts';
import { type Channel, type ChannelOptions, createChannel, type OwnedChannel, type Underlay, type UnderlayPriority } from './channel.ts';
import { encodeFrame, type Frame } from './frame.ts';
import { createFrameReader, type FrameLimits } from './frame-reader.ts';
import { type Header, header, headersOf } from './header-fields.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import { messages } from './messages/index.ts';
import { utf8 } from './primitives.ts';

/** Thrown to reject the peer. It receives the message of this error. */
export class RefusedHello extends Error {
  override readonly name = 'RefusedHello';
}

/** An admitted connection. */
export interface Admitted {
  /** The headers of the answer to its hello. */
  readonly headers: readonly Header[];
  /** The budget of the other end. */
  readonly budget: Budget;
  /** Default: `default`. */
  readonly priority?: UnderlayPriority;
  /** The channel that the connection joins. Default: a new one. */
  readonly joined?: OwnedChannel;
}

/** Options of an accepted connection. */
export interface AcceptOptions extends ChannelOptions {
  /**
   * Decides whether to admit the other end, based on its hello.
   * @param channel the new channel, unless the connection joins another one
   * @throws RefusedHello
   */
  admit(hello: Frame, channel: OwnedChannel): Promise<Admitted>;
  /** Called once the hello is answered, unless the connection joins another channel. */
  opened(channel: Channel): void;
  /** Limits of frames after the hello. Default `FRAME_LIMITS`. */
  readonly limits?: FrameLimits;
}

/** An accepted connection. The owner of the socket passes the received bytes to it. */
export interface AcceptedWire {
  /** Aborted when the channel is closed, with an error as reason; for a connection that has joined a channel, also when the connection is lost. */
  readonly signal: AbortSignal;
  /** Handles bytes. The connection is not read again until this resolves. Never rejects. */
  received(part: Uint8Array): Promise<void>;
  /** Closes the channel after its last connection was lost. */
  close(reason?: string): void;
}

/** Size limits of frames, as declared by message types. Bodies of unknown messages are not decoded. */
export const FRAME_LIMITS: FrameLimits = {
  headers: 65_536,
  body: 8_388_608,
  bodies: new Map(messages.all.flatMap((message) => ('bounds' in message ? [[message.contentType, message.bounds.bytes]] : []))),
};

/** Number of frames handled before yielding to the event loop. */
const FRAME_BATCH = 500;

/** Size limits of a hello, in bytes. */
const HELLO_LIMITS: FrameLimits = { headers: 16_384, body: 4192 };
/** Time limit for receiving the hello. ms */
const HELLO_TIMEOUT = 5000;

/** Sequence number of a hello and its answer. */
const UNNUMBERED = -1;

/** The accepting side of a connection, which begins a channel, or joins one. The first frame must be a hello; nothing else is read until it is answered. */
export const acceptChannel = (options: AcceptOptions & { readonly clock: Clock }): AcceptedWire => {
  const { clock, wire, admit, opened, note, limits = FRAME_LIMITS } = options;
  const channel = createChannel(options);
  const reader = createFrameReader(HELLO_LIMITS);
  const yieldAfterBatch = createTimeSlice(FRAME_BATCH);
  let budget: Budget | undefined;
  /** The channel that carries the frames of this connection. */
  let carrying = channel;
  let underlay: Underlay | undefined;
  const cancel = after(clock, HELLO_TIMEOUT, () => channel.close(`it sent no hello within ${HELLO_TIMEOUT / 1000} s`));
  channel.signal.addEventListener('abort', cancel);

  const answerHello = (success: boolean, text: string, headers: readonly Header[]): void => {
    const all = headersOf([header.replyFor.of(UNNUMBERED), header.success.of(success), ...headers]);
    const { contentType } = channelMessages.result;
    if (!channel.signal.aborted) wire.write(encodeFrame({ contentType, sequence: UNNUMBERED, headers: all, body: utf8(text) }));
  };

  const greet = async (frame: Frame): Promise<void> => {
    if (frame.contentType !== channelMessages.hello.contentType)
      throw new Malformed(`it sent a message of type ${frame.contentType} before its hello`);
    cancel();
    let admitted: Admitted;
    try {
      admitted = await admit(frame, channel);
      answerHello(true, '', admitted.headers);
    } catch (error) {
      const isRefused = error instanceof RefusedHello || error instanceof Malformed;
      if (!isRefused) note('a router was not admitted because of an error; it may try again', { error });
      answerHello(false, isRefused ? error.message : 'try again later', []);
      return channel.close(isRefused ? error.message : 'it was not admitted because of an error');
    }
    if (channel.signal.aborted) return;
    reader.limits = limits;
    budget = admitted.budget;
    carrying = admitted.joined ?? channel;
    underlay = carrying.attach(wire, admitted.priority ?? 'default');
    if (carrying === channel) {
      channel.start();
      opened(channel);
    } else endWith(carrying.signal);
  };
  /** Ends a connection with the channel that it has joined. */
  const endWith = (joined: AbortSignal): void => {
    const end = () => channel.fail(joined.reason);
    joined.addEventListener('abort', end, { signal: channel.signal });
    if (joined.aborted) end();
  };

  return {
    signal: channel.signal,
    received: async (part) => {
      try {
        budget?.spend({ bytes: part.length, elements: 1 });
        for (const frame of reader.read(part)) {
          await yieldAfterBatch();
          if (channel.signal.aborted) return;
          budget?.spend({ elements: 1 });
          if (underlay && frame.contentType === channelMessages.hello.contentType) throw new Malformed('it sent a second hello');
          await (underlay ? underlay.received(frame) : greet(frame));
        }
      } catch (error) {
        carrying.fail(error);
      }
    },
    close: (reason = 'the connection was lost') => {
      underlay?.lost(reason);
      if (!underlay || carrying !== channel) channel.close(reason);
    },
  };
};
