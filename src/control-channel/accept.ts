import { createTurns } from '../concurrency/event-loop.ts';
import type { Clock } from '../platform/platform.ts';
import { after } from '../platform/timers.ts';
import type { Budget } from './budget.ts';
import { type Channel, type ChannelOptions, createChannel } from './channel.ts';
import { encodeFrame, type Frame } from './frame.ts';
import { createFrameReader, type FrameLimits } from './frame-reader.ts';
import { type Header, header, headersOf } from './header-fields.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import { messages } from './messages/index.ts';
import { utf8 } from './text.ts';

/** The other end may not connect. The message is sent to it. */
export class RefusedHello extends Error {
  override readonly name = 'RefusedHello';
}

/** Who may connect, and what is done with what it sends. */
export interface AcceptOptions extends ChannelOptions {
  /**
   * Judges the hello of the other end.
   * @returns headers of the answer, and what the other end may spend
   * @throws RefusedHello
   */
  admit(hello: Frame, channel: Channel): Promise<{ readonly headers: readonly Header[]; readonly budget: Budget }>;
  /** Called when the hello was answered. */
  opened(channel: Channel): void;
  /** Of frames after the hello. Default `FRAME_LIMITS`. */
  readonly limits?: FrameLimits;
}

/** A connection that was accepted: whoever carries it hands on what comes. */
export interface AcceptedWire {
  /** Aborted when the channel has ended; its reason is an error that says why. */
  readonly signal: AbortSignal;
  /** Takes what came. Resolves when more may come: the connection is not read before. Never rejects. */
  received(part: Uint8Array): Promise<void>;
  /** The connection is gone. */
  lost(reason?: string): void;
}

/** Bytes of a frame that are accepted, as its kind declares it. A body of a kind that is not known is not looked at. */
export const FRAME_LIMITS: FrameLimits = {
  headers: 65_536,
  body: 8_388_608,
  bodies: new Map(messages.all.flatMap((message) => ('bounds' in message ? [[message.contentType, message.bounds.bytes]] : []))),
};

/** Frames that are worked on before others have a turn. */
const FRAMES_AT_ONCE = 500;

/** Bytes of a hello. */
const HELLO_LIMITS: FrameLimits = { headers: 16_384, body: 4192 };
const HELLO_WITHIN = 5000;

/** A hello, and the answer to it, have this number. */
const UNNUMBERED = -1;

/** The side of a channel that is connected to. The first frame must be a hello; until it was judged, nothing else is read. */
export const acceptChannel = (options: AcceptOptions & { readonly clock: Clock }): AcceptedWire => {
  const { clock, wire, admit, opened, note, limits = FRAME_LIMITS } = options;
  const channel = createChannel(options);
  const reader = createFrameReader(HELLO_LIMITS);
  const turn = createTurns(FRAMES_AT_ONCE);
  let budget: Budget | undefined;
  const cancel = after(clock, HELLO_WITHIN, () => channel.close(`it sent no hello within ${HELLO_WITHIN / 1000} s`));
  channel.signal.addEventListener('abort', cancel);

  const answerHello = (success: boolean, said: string, headers: readonly Header[]): void => {
    const all = headersOf([header.replyFor.of(UNNUMBERED), header.success.of(success), ...headers]);
    const { contentType } = channelMessages.result;
    if (!channel.signal.aborted) wire.write(encodeFrame({ contentType, sequence: UNNUMBERED, headers: all, body: utf8(said) }));
  };

  const greet = async (frame: Frame): Promise<void> => {
    if (frame.contentType !== channelMessages.hello.contentType)
      throw new Malformed(`it sent a message of type ${frame.contentType} before its hello`);
    cancel();
    try {
      const admitted = await admit(frame, channel);
      budget = admitted.budget;
      answerHello(true, '', admitted.headers);
    } catch (error) {
      const isRefused = error instanceof RefusedHello || error instanceof Malformed;
      if (!isRefused) note('a router could not be judged', { error });
      answerHello(false, isRefused ? error.message : 'try again later', []);
      return channel.close(isRefused ? error.message : 'it could not be judged');
    }
    if (channel.signal.aborted) return;
    reader.limits = limits;
    channel.start();
    opened(channel);
  };

  return {
    signal: channel.signal,
    received: async (part) => {
      try {
        budget?.spend({ bytes: part.length, elements: 1 });
        for (const frame of reader.read(part)) {
          await turn();
          if (channel.signal.aborted) return;
          const isOpen = budget !== undefined;
          budget?.spend({ elements: 1 });
          if (isOpen && frame.contentType === channelMessages.hello.contentType) throw new Malformed('it sent a second hello');
          await (isOpen ? channel.received(frame) : greet(frame));
        }
      } catch (error) {
        channel.fail(error);
      }
    },
    lost: (reason = 'the connection was lost') => channel.close(reason),
  };
};
