import type { Clock } from '../platform/platform.ts';
import { after } from '../platform/timers.ts';
import { type Channel, type ChannelOptions, createChannel } from './channel.ts';
import { encodeFrame, type Frame } from './frame.ts';
import { createFrameReader, type FrameLimits } from './frame-reader.ts';
import { type Header, header, headersOf } from './header-fields.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import { utf8 } from './text.ts';

/** The other end may not connect. The message is sent to it. */
export class RefusedHello extends Error {
  override readonly name = 'RefusedHello';
}

/** Who may connect, and what is done with what it sends. */
export interface AcceptOptions extends ChannelOptions {
  /**
   * Judges the hello of the other end.
   * @returns headers of the answer
   * @throws RefusedHello
   */
  admit(hello: Frame, channel: Channel): Promise<readonly Header[]>;
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

/** Bytes of a frame that are accepted: the largest that routers send are answers to an inspection. */
export const FRAME_LIMITS: FrameLimits = { headers: 65_536, body: 8_388_608 };

/** Bytes of a hello. */
const HELLO_LIMITS: FrameLimits = { headers: 4192, body: 4192 };
const HELLO_WITHIN = 5000;

/** A hello, and the answer to it, have this number. */
const UNNUMBERED = -1;

/** The side of a channel that is connected to. The first frame must be a hello; until it was judged, nothing else is read. */
export const acceptChannel = (options: AcceptOptions & { readonly clock: Clock }): AcceptedWire => {
  const { clock, wire, admit, opened, note, limits = FRAME_LIMITS } = options;
  const channel = createChannel(options);
  const reader = createFrameReader(HELLO_LIMITS);
  let isOpen = false;
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
      answerHello(true, '', await admit(frame, channel));
    } catch (error) {
      const isRefused = error instanceof RefusedHello || error instanceof Malformed;
      if (!isRefused) note('a router could not be judged', { error });
      answerHello(false, isRefused ? error.message : 'try again later', []);
      return channel.close(isRefused ? error.message : 'it could not be judged');
    }
    if (channel.signal.aborted) return;
    isOpen = true;
    reader.limits = limits;
    channel.start();
    opened(channel);
  };

  return {
    signal: channel.signal,
    received: async (part) => {
      try {
        for (const frame of reader.read(part)) {
          if (channel.signal.aborted) return;
          if (isOpen && frame.contentType === channelMessages.hello.contentType) throw new Malformed('it sent a second hello');
          await (isOpen ? channel.received(frame) : greet(frame));
        }
      } catch (error) {
        channel.close(error instanceof Error ? error.message : String(error));
      }
    },
    lost: (reason = 'the connection was lost') => channel.close(reason),
  };
};
