import { createSemaphore, type Semaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { OverBudget } from './budget.ts';
import { type Frame, frameParts } from './frame.ts';
import { answerHeaders, type Header, header, headersOf } from './header-fields.ts';
import { startHeartbeat } from './heartbeat.ts';
import { Malformed } from './malformed.ts';
import { channelMessages } from './messages/channel.ts';
import type { MessageType } from './messages/message-type.ts';
import { createRequests } from './requests.ts';

/** The connection that carries a channel. */
export interface Wire {
  /** Sends bytes, or buffers them until they can be sent. */
  write(bytes: Uint8Array): void;
  /** Bytes in the buffer. */
  readonly buffered: number;
  /** Resolves when the buffer is empty, or the connection is closed. */
  drained(): Promise<void>;
  /** Ends the connection once everything is sent. */
  end(): void;
}

/** A control channel: messages, requests and their answers, and heartbeats. It is independent of sockets and of the meaning of messages. */
export interface Channel {
  /** Aborted when the channel is closed, with an error as reason. */
  readonly signal: AbortSignal;
  /** @throws the reason of `signal`, once it is aborted */
  send<I>(message: MessageType<unknown, I>, value: I, headers?: readonly Header[]): void;
  /**
   * Sends a message, and waits for the answer.
   * @param options `milliseconds`: maximum time to wait, default 5000
   * @throws Unanswered; the reason of `signal`
   */
  request<I>(message: MessageType<unknown, I>, value: I, options?: RequestOptions): Promise<Frame>;
  /** Answers a request. */
  answer<I>(request: Frame, message: MessageType<unknown, I>, value: I, headers?: readonly Header[]): void;
  /** Answers a request with success or failure. */
  sendResult(request: Frame, isSuccess: boolean, message?: string): void;
  /** Closes the channel and the connection. Idempotent. */
  close(reason: string): void;
  /** Closes the channel because of an error in a message. */
  fail(error: unknown): void;
}

/** Options of one request. */
export interface RequestOptions {
  readonly headers?: readonly Header[];
  readonly milliseconds?: number;
}

/** Options of a channel. */
export interface ChannelOptions {
  readonly clock: Clock;
  readonly wire: Wire;
  /**
   * Reads a message other than those of the channel itself. Called for one message at a time, in order.
   * @returns the work for the message, which runs concurrently with the work for other messages. If it rejects with `Malformed` or
   * `OverBudget`, the channel
   *   is closed; other errors are logged.
   */
  take(frame: Frame, channel: Channel): Work | Promise<Work>;
  /** Logs an event for operators. */
  note(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** The work for a message. */
export type Work = () => void | Promise<void>;

/**
 * The messages that a connection of a channel carries: urgent messages, or all others. While there is no connection for one of them, the
 * other carries both.
 */
export type UnderlayPriority = 'high' | 'default';

/** One of the connections of a channel. */
export interface Underlay {
  /**
   * Handles a frame. Resolves when the connection may be read again, which is not the case while too many of its messages are being
   * handled.
   */
  received(frame: Frame): Promise<void>;
  /** The connection was lost. The channel closes with its last connection. */
  lost(reason: string): void;
}

/** A channel, for the owner of its connections. */
export interface OwnedChannel extends Channel, Underlay {
  /** Adds a connection, which replaces that of the same priority. For the first one, sets its priority. */
  attach(wire: Wire, priority: UnderlayPriority): Underlay;
  /** Starts heartbeats. */
  start(): void;
}

/** Maximum number of messages of one priority that are handled concurrently. Beyond that, the connection is not read. */
const MAX_CONCURRENCY = 64;

/** Backpressure: while more bytes are buffered for a slow reader, nothing is read from it, because it may request even more. */
const BUFFERED_BEFORE_PAUSE = 16_777_216;

/** Maximum number of bytes buffered for a slow reader. A large data model takes several megabytes. */
const MAX_BUFFERED = 67_108_864;

/** Default time limit for the answer to a request. ms */
const ANSWER_TIMEOUT = 5000;

export const createChannel = ({ clock, wire, take, note }: ChannelOptions): OwnedChannel => {
  const ending = new AbortController();
  const requests = createRequests(clock);
  const wires = new Map<UnderlayPriority, Wire>();
  let sequence = 0;
  let stopHeartbeat = (): void => undefined;
  let beat: ((frame: Frame) => void) | undefined;

  const close = (reason: string): void => {
    if (ending.signal.aborted) return;
    const error = new Error(reason);
    stopHeartbeat();
    ending.abort(error);
    requests.close(error);
    for (const one of new Set(wires.values())) one.end();
  };

  const fail = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof OverBudget && !ending.signal.aborted) note('a router exceeded its budget, and was disconnected', { reason });
    close(reason);
  };

  const wireFor = ({ isUrgent }: MessageType<unknown, never>): Wire | undefined =>
    wires.get(isUrgent ? 'high' : 'default') ?? wires.get(isUrgent ? 'default' : 'high');
  const post = <I>(message: MessageType<unknown, I>, value: I, headers: readonly Header[], to = wireFor(message)): number => {
    ending.signal.throwIfAborted();
    const frame = { contentType: message.contentType, sequence: ++sequence, headers: headersOf(headers), body: message.encode(value) };
    for (const part of frameParts(frame)) to?.write(part);
    if (to && to.buffered > MAX_BUFFERED) close('it reads too slowly');
    return frame.sequence;
  };
  /** Removes and ends a connection. The channel closes with its last one. */
  const lose = (lost: Wire, reason: string): void => {
    for (const [key, one] of wires) if (one === lost) wires.delete(key);
    lost.end();
    if (wires.size === 0) close(reason);
  };

  // Connections of one priority share a semaphore: otherwise, a router that keeps replacing them could have any number of messages handled.
  const semaphores = { high: createSemaphore(MAX_CONCURRENCY), default: createSemaphore(MAX_CONCURRENCY) } as const;
  const attach: OwnedChannel['attach'] = (added, priority) => {
    const replaced = wires.get(priority);
    wires.set(priority, added);
    if (replaced && ![...wires.values()].includes(replaced)) replaced.end();
    if (ending.signal.aborted) added.end();
    return {
      received: async (frame) => {
        if (ending.signal.aborted) return;
        if (added.buffered > BUFFERED_BEFORE_PAUSE) await added.drained();
        await receive(frame, semaphores[priority]);
      },
      lost: (reason) => lose(added, reason),
    };
  };
  const receive = async (frame: Frame, semaphore: Semaphore): Promise<void> => {
    beat?.(frame);
    if (IGNORED.has(frame.contentType) || requests.received(frame)) return;
    if (ANSWERED.has(frame.contentType)) return channel.sendResult(frame, true);
    if (header.replyFor.in(frame) !== undefined)
      return note('an answer without a pending request was ignored', { contentType: frame.contentType });
    const work = await take(frame, channel);
    const release = await semaphore.acquire();
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        if (ending.signal.aborted) return;
        if (error instanceof Malformed || error instanceof OverBudget) fail(error);
        else note('a message of a router could not be handled', { contentType: frame.contentType, error });
      })
      .finally(release);
  };

  const channel: OwnedChannel = {
    ...attach(wire, 'default'),
    attach,
    signal: ending.signal,
    send: (message, value, headers = []) => void post(message, value, headers),
    request: async (message, value, { headers = [], milliseconds = ANSWER_TIMEOUT } = {}) =>
      requests.answer(post(message, value, headers), milliseconds),
    answer: (request, message, value, headers = []) => void post(message, value, [...answerHeaders(request), ...headers]),
    sendResult: (request, isSuccess, text = '') => channel.answer(request, channelMessages.result, text, [header.success.of(isSuccess)]),
    close,
    fail,
    start: () => {
      const beating = startHeartbeat({
        clock,
        connections: () => [...new Set(wires.values())],
        send: (headers, over) => void post(channelMessages.heartbeat, undefined, headers, over),
        onTimeout: (silence, silent) => {
          lose(silent, `it has not answered a heartbeat for ${silence / 1000} s`);
          silent.end();
        },
      });
      stopHeartbeat = beating.stop;
      beat = beating.received;
    },
  };
  return channel;
};

const { heartbeat, latency, ping, reconnectPing } = channelMessages;
const IGNORED: ReadonlySet<number> = new Set([heartbeat.contentType, reconnectPing.contentType]);
const ANSWERED: ReadonlySet<number> = new Set([ping.contentType, latency.contentType]);
