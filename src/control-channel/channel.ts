import { createSemaphore } from '../concurrency/semaphore.ts';
import type { Clock } from '../platform/platform.ts';
import { OverBudget } from './budget.ts';
import { type Frame, frameParts } from './frame.ts';
import { answerHeaders, type Header, header, headersOf } from './header-fields.ts';
import { startHeartbeat } from './heartbeat.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import type { MessageType } from './messages/message-type.ts';
import { createRequests } from './requests.ts';

/** What a channel needs of the connection that carries it. */
export interface Wire {
  /** Sends bytes, or keeps them until they can be sent. */
  write(bytes: Uint8Array): void;
  /** Bytes that are kept. */
  readonly kept: number;
  /** Resolves when all that was kept is sent, or the connection is gone. */
  drained(): Promise<void>;
  /** Ends the connection once everything is sent. */
  end(): void;
}

/** A control channel: messages, requests with their answers, and heartbeats. Pure: it knows neither sockets nor what messages mean. */
export interface Channel {
  /** Aborted when the channel has ended; its reason is an error that says why. */
  readonly signal: AbortSignal;
  /** @throws the reason of `signal`, once ended */
  send<I>(message: MessageType<unknown, I>, value: I, headers?: readonly Header[]): void;
  /**
   * Sends a message, and waits for the answer.
   * @param milliseconds to wait at most. Default 5,000.
   * @throws Unanswered; the reason of `signal`
   */
  request<I>(message: MessageType<unknown, I>, value: I, options?: RequestOptions): Promise<Frame>;
  /** Answers a request. */
  answer<I>(request: Frame, message: MessageType<unknown, I>, value: I, headers?: readonly Header[]): void;
  /** Says whether what was asked for was done. */
  conclude(request: Frame, isDone: boolean, said?: string): void;
  /** Ends the channel, and the connection. Again, it does nothing. */
  close(reason: string): void;
  /** Ends it because of what came. */
  fail(error: unknown): void;
}

/** How a request is sent. */
export interface RequestOptions {
  readonly headers?: readonly Header[];
  readonly milliseconds?: number;
}

/** Channel and wire, and who handles what comes. */
export interface ChannelOptions {
  readonly clock: Clock;
  readonly wire: Wire;
  /**
   * Takes a message that is not the channel's own: one at a time, in the order in which they come.
   * @returns what is done for it, beside what is done for others. A rejection with `Malformed` or `OverBudget` ends the channel; any other one is noted.
   */
  take(frame: Frame, channel: Channel): Work | Promise<Work>;
  /** Something that an operator may want to know. */
  note(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** What is done for a message. */
export type Work = () => void | Promise<void>;

/** A channel, as the owner of the connection has it. */
export interface OwnedChannel extends Channel {
  /**
   * A frame that has come. Resolves when more may come: while too many are worked on, the connection is not read.
   */
  received(frame: Frame): Promise<void>;
  /** Begins with heartbeats. */
  start(): void;
}

/** Messages of one channel that are worked on at once; the next wait in the connection. */
const MOST_AT_ONCE = 64;

/** While more bytes than that wait for a slow reader, nothing more is read from it: it may ask for more than it takes. */
const KEPT_AT_EASE = 16_777_216;

/** Bytes that may wait for a slow reader. All of a large data model is some megabytes. */
const MOST_KEPT = 67_108_864;

const ANSWER_WITHIN = 5000;

export const createChannel = ({ clock, wire, take, note }: ChannelOptions): OwnedChannel => {
  const ending = new AbortController();
  const requests = createRequests(clock);
  const working = createSemaphore(MOST_AT_ONCE);
  let sequence = 0;
  let stopHeartbeat = (): void => undefined;
  let beat: ((frame: Frame) => void) | undefined;

  const close = (reason: string): void => {
    if (ending.signal.aborted) return;
    const error = new Error(reason);
    stopHeartbeat();
    ending.abort(error);
    requests.end(error);
    wire.end();
  };

  const fail = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof OverBudget && !ending.signal.aborted) note('a router was cut off, because it asks for too much', { reason });
    close(reason);
  };

  const post = <I>(message: MessageType<unknown, I>, value: I, headers: readonly Header[], number = ++sequence): number => {
    ending.signal.throwIfAborted();
    const { contentType } = message;
    const frame = { contentType, sequence: number, headers: headersOf(headers), body: message.encode(value) };
    for (const part of frameParts(frame)) wire.write(part);
    if (wire.kept > MOST_KEPT) close('it reads too slowly');
    return number;
  };

  const channel: OwnedChannel = {
    signal: ending.signal,
    send: (message, value, headers = []) => void post(message, value, headers),
    request: async (message, value, { headers = [], milliseconds = ANSWER_WITHIN } = {}) =>
      requests.answer(post(message, value, headers), milliseconds),
    answer: (request, message, value, headers = []) => void post(message, value, [...answerHeaders(request), ...headers]),
    conclude: (request, isDone, said = '') => channel.answer(request, channelMessages.result, said, [header.success.of(isDone)]),
    close,
    fail,
    start: () => {
      const beating = startHeartbeat({
        clock,
        send: (headers) => channel.send(channelMessages.heartbeat, undefined, headers),
        lost: (silence) => close(`it has not answered a heartbeat for ${silence / 1000} s`),
      });
      stopHeartbeat = beating.stop;
      beat = beating.received;
    },
    received: async (frame) => {
      if (ending.signal.aborted) return;
      if (wire.kept > KEPT_AT_EASE) await wire.drained();
      beat?.(frame);
      if (IGNORED.has(frame.contentType) || requests.received(frame)) return;
      if (ANSWERED.has(frame.contentType)) return channel.conclude(frame, true);
      if (header.replyFor.in(frame) !== undefined) return note('an answer came that nothing waits for', { contentType: frame.contentType });
      const work = await take(frame, channel);
      const done = await working.acquire();
      Promise.resolve()
        .then(work)
        .catch((error: unknown) => {
          if (ending.signal.aborted) return;
          if (error instanceof Malformed || error instanceof OverBudget) fail(error);
          else note('a message could not be handled', { contentType: frame.contentType, error });
        })
        .finally(done);
    },
  };
  return channel;
};

const { heartbeat, latency, ping, reconnectPing } = channelMessages;
const IGNORED: ReadonlySet<number> = new Set([heartbeat.contentType, reconnectPing.contentType]);
const ANSWERED: ReadonlySet<number> = new Set([ping.contentType, latency.contentType]);
