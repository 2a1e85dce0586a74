import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { after } from '../../runtime/platform/clock.ts';
import type { Budget } from './budget.ts';
import { type Channel, type ChannelOptions, createChannel, type OwnedChannel, type Underlay, type UnderlayPriority } from './channel.ts';
import { encodeFrame, type Frame } from './frame.ts';
import { createFrameReader, type FrameLimits } from './frame-reader.ts';
import { type Header, header, headersOf } from './header-fields.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import { messages } from './messages/index.ts';
import { utf8 } from './primitives.ts';

/** Thrown to reject the peer, which receives the message of this error. */
export class RefusedHello extends Error {
  override readonly name = 'RefusedHello';
}

/** An admitted connection. */
export interface Admitted {
  /** The headers of the answer to its hello. */
  readonly headers: readonly Header[];
  /** The budget of the peer. */
  readonly budget: Budget;
  /** Default: `default`. */
  readonly priority?: UnderlayPriority;
  /** The channel that the connection joins. Default: a new one. */
  readonly joined?: OwnedChannel;
}

/** Options of an accepted connection. */
export interface AcceptOptions extends ChannelOptions {
  /**
   * Decides whether to admit the peer, based on its hello.
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
  /**
   * Aborted when the channel is closed, with an error as the reason. For a connection that has joined a channel, also aborted when the
   * connection is lost.
   */
  readonly signal: AbortSignal;
  /** Handles bytes. The connection is not read again until this resolves. Never rejects. */
  received(part: Uint8Array): Promise<void>;
  /**
   * Ends the connection, or reports that it was lost. The channel is closed with its last connection.
   * @param reason default: that the connection was lost
   */
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
/** Time limit for receiving the hello, in ms. */
const HELLO_TIMEOUT = 5000;

/** The sequence number of a hello and of its answer. */
const UNNUMBERED = -1;

/**
 * The accepting side of a connection, which opens a channel or joins one. The first frame must be a hello; nothing else is read until it is
 * answered.
 */
export const acceptChannel = (options: AcceptOptions): AcceptedWire => new AcceptedConnection(options);

class AcceptedConnection implements AcceptedWire {
  readonly signal: AbortSignal;
  readonly #options: AcceptOptions;
  readonly #ownChannel: OwnedChannel;
  readonly #reader = createFrameReader(HELLO_LIMITS);
  readonly #yieldAfterBatch = createTimeSlice(FRAME_BATCH);
  readonly #cancelTimeout: () => void;
  #budget: Budget | undefined;
  /** The channel that this connection belongs to: its own one, or the one that it has joined. */
  #channel: OwnedChannel;
  /** Undefined until the connection is admitted. */
  #underlay: Underlay | undefined;

  constructor(options: AcceptOptions) {
    const channel = createChannel(options);
    this.signal = channel.signal;
    this.#options = options;
    this.#ownChannel = channel;
    this.#channel = channel;
    this.#cancelTimeout = after(options.clock, HELLO_TIMEOUT, () => channel.close(`it sent no hello within ${HELLO_TIMEOUT / 1000} s`));
    channel.signal.addEventListener('abort', this.#cancelTimeout);
  }

  // Fields rather than methods: adapters may pass them on as functions.
  readonly received = async (part: Uint8Array): Promise<void> => {
    try {
      this.#budget?.spend({ bytes: part.length, elements: 1 });
      for (const frame of this.#reader.read(part)) {
        await this.#yieldAfterBatch();
        if (this.signal.aborted) return;
        this.#budget?.spend({ elements: 1 });
        if (this.#underlay && frame.contentType === channelMessages.hello.contentType) throw new Malformed('it sent a second hello');
        await (this.#underlay ? this.#underlay.received(frame) : this.#receiveHello(frame));
      }
    } catch (error) {
      this.#channel.fail(error);
    }
  };

  readonly close = (reason = 'the connection was lost'): void => {
    this.#underlay?.lost(reason);
    if (!this.#underlay || this.#channel !== this.#ownChannel) this.#ownChannel.close(reason);
  };

  async #receiveHello(frame: Frame): Promise<void> {
    const { wire, opened, limits = FRAME_LIMITS } = this.#options;
    if (frame.contentType !== channelMessages.hello.contentType)
      throw new Malformed(`it sent a message of type ${frame.contentType} before its hello`);
    this.#cancelTimeout();
    const admitted = await admitOrClose(frame, this.#ownChannel, this.#options);
    if (!admitted) return;
    this.#reader.limits = limits;
    this.#budget = admitted.budget;
    this.#channel = admitted.joined ?? this.#ownChannel;
    this.#underlay = this.#channel.attach(wire, admitted.priority ?? 'default');
    if (this.#channel === this.#ownChannel) {
      this.#channel.start();
      opened(this.#channel);
    } else closeWith(this.#channel.signal, this.#ownChannel);
  }
}

/**
 * Answers a hello.
 * @returns undefined if the channel is closed, because the peer was rejected or for another reason
 */
const admitOrClose = async (
  hello: Frame,
  channel: OwnedChannel,
  { admit, note, wire }: Pick<AcceptOptions, 'admit' | 'note' | 'wire'>,
): Promise<Admitted | undefined> => {
  const answer = (success: boolean, text: string, headers: readonly Header[] = []): void => {
    if (!channel.signal.aborted) wire.write(helloAnswer(success, text, headers));
  };
  try {
    const admitted = await admit(hello, channel);
    answer(true, '', admitted.headers);
    return channel.signal.aborted ? undefined : admitted;
  } catch (error) {
    const isRejected = error instanceof RefusedHello || error instanceof Malformed;
    if (!isRejected) note('a router was not admitted because of an error; it may try again', { error });
    answer(false, isRejected ? error.message : 'try again later');
    channel.close(isRejected ? error.message : 'it was not admitted because of an error');
    return undefined;
  }
};

const helloAnswer = (success: boolean, text: string, headers: readonly Header[]): Uint8Array => {
  const all = headersOf([header.replyFor.of(UNNUMBERED), header.success.of(success), ...headers]);
  return encodeFrame({ contentType: channelMessages.result.contentType, sequence: UNNUMBERED, headers: all, body: utf8(text) });
};

/** Closes the channel of a connection that has joined another channel when that one is closed. */
const closeWith = (joined: AbortSignal, channel: OwnedChannel): void => {
  const close = () => channel.fail(joined.reason);
  joined.addEventListener('abort', close, { signal: channel.signal });
  if (joined.aborted) close();
};
