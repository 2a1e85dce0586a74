import type { Api } from '../../contract/types/api.ts';
import type { FollowNetworkEventsQuery, StreamedEvent } from '../../contract/types/network-events.ts';
import { decodeHeaders, encodeFrame, type Frame, MARKER, PREFIX_BYTES } from '../../fabric/control-channel/frame.ts';
import { type Header, header } from '../../fabric/control-channel/header-fields.ts';
import { Malformed } from '../../fabric/control-channel/malformed.ts';
import { channelMessages } from '../../fabric/control-channel/messages/channel.ts';
import { managementMessages } from '../../fabric/control-channel/messages/management.ts';
import { type MessageType, preEncoded } from '../../fabric/control-channel/messages/message-type.ts';
import { inspectFor } from './inspect-for.ts';
import { parseStreamRequest, StreamRefused } from './stream-request.ts';
import { parseTraceRequest, type ToggleTraces } from './traces.ts';
import { type Validation, ValidationRefused } from './validations.ts';

/** The connection of a management channel. Each message is one frame. */
export interface MessageSocket {
  /** Sends a message. Resolves once it has left the buffers of the process, or the connection has ended. */
  send(message: Uint8Array): Promise<void>;
  /** Ends the connection immediately. */
  cut(): void;
}

/** The end of a management channel at the controller. */
export interface ManagementChannel {
  /** Handles a message. Cuts the connection if it is not a valid frame. */
  receive(message: Uint8Array): void;
  /** Must be called when the connection has ended. */
  ended(): void;
}

/** The caller of a management channel, with whose rights its requests are answered. */
export interface ChannelCaller {
  readonly api: Pick<Api, 'networkEvents' | 'inspections'>;
  readonly controllerId: string;
  /** By the content type of the request. */
  readonly validations: ReadonlyMap<number, Validation>;
  readonly toggleTraces: ToggleTraces;
}

/** Maximum number of streams of events of one channel. They last until it ends. */
const MAX_STREAMS = 32;
/** Maximum number of requests that wait, of their bytes, and of inspections that run, before the connection is cut. */
const MAX_WAITING = 100;
const MAX_WAITING_BYTES = 4_194_304;
const MAX_INSPECTIONS = 8;
/** Headers of a request that its answer repeats. */
const REPEATED = { from: 128, to: 255 } as const;
/** The header of an event with its kind. */
const EVENT_KIND = 10;

const { ping, result } = channelMessages;
const { streamEventsRequest, streamEventsEvent, togglePipeTraces, streamTraces, streamTracesEvent, inspectRequest, inspectResponse } =
  managementMessages;

/** Serves the management channel of a caller. The channel ends when one of its streams does, because the caller has lost its right. */
export const serveManagementChannel = (
  { api, controllerId, validations, toggleTraces }: ChannelCaller,
  socket: MessageSocket,
): ManagementChannel => {
  const ending = new AbortController();
  const { signal } = ending;
  let sequence = 0;
  let streams = 0;
  let waiting = 0;
  let waitingBytes = 0;
  let inspections = 0;
  let isValidating = false;
  let work = Promise.resolve();

  const end = (): void => {
    if (signal.aborted) return;
    ending.abort();
    socket.cut();
  };
  const send = async <I>(type: MessageType<unknown, I>, body: I, headers: readonly Header[]): Promise<void> => {
    if (signal.aborted) return;
    const { contentType } = type;
    await socket.send(encodeFrame({ contentType, sequence: ++sequence, headers: new Map(headers), body: type.encode(body) }));
  };
  const answer = <I>(request: Frame, type: MessageType<unknown, I>, body: I, headers: readonly Header[] = []): Promise<void> => {
    const repeated = [...request.headers].filter(([key]) => key >= REPEATED.from && key <= REPEATED.to);
    return send(type, body, [header.replyFor.of(request.sequence), ...headers, ...repeated]);
  };
  const answerResult = (request: Frame, isSuccess: boolean, text: string) => answer(request, result, text, [header.success.of(isSuccess)]);

  /** Opens a stream of events, which lasts as long as the channel. */
  const openStream = async (query: FollowNetworkEventsQuery, tell: (event: StreamedEvent) => Promise<void>): Promise<void> => {
    if (streams >= MAX_STREAMS) throw new StreamRefused(`this channel already has ${streams} streams, which is the maximum`);
    const events = api.networkEvents.follow({ ...query, signal })[Symbol.asyncIterator]();
    // The first event says that the stream is open.
    await events.next();
    streams++;
    const pass = async () => {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return;
        await tell(value);
      }
    };
    void pass()
      .catch(() => undefined)
      .finally(end);
  };
  const streamEvents = async (request: Frame): Promise<void> => {
    try {
      for (const { kind, query } of parseStreamRequest(streamEventsRequest.decode(request.body)))
        await openStream(query, (event) =>
          send(streamEventsEvent, JSON.stringify(event), [[EVENT_KIND, utf8.encode(event['namespace'] === 'stream' ? 'stream' : kind)]]),
        );
    } catch (error) {
      const reason = reasonOf(error);
      return reason === undefined ? end() : answerResult(request, false, reason);
    }
    await answerResult(request, true, 'success');
  };
  /** Clients expect an answer only if the stream is refused. */
  const followTraces = async (request: Frame): Promise<void> => {
    try {
      const messageOf = parseTraceRequest(request.body, controllerId);
      await openStream({ types: ['trace'] }, async (event) => {
        const message = messageOf(event);
        if (message) await send(streamTracesEvent, message, []);
      });
    } catch (error) {
      const reason = error instanceof Malformed ? error.message : reasonOf(error);
      return reason === undefined ? end() : answerResult(request, false, reason);
    }
  };
  const inspect = async (request: Frame): Promise<void> => {
    if (inspections >= MAX_INSPECTIONS)
      return answer(request, inspectResponse, { errors: [`${controllerId}: too many inspections are running`] });
    inspections++;
    try {
      await answer(request, inspectResponse, await inspectFor(api, controllerId, () => inspectRequest.decode(request.body)));
    } catch {
      end();
    } finally {
      inspections--;
    }
  };
  /** Results follow the answer; clients wait for as many as it promises. */
  const validate = async (request: Frame, { answer: type, resultType, begin }: Validation): Promise<void> => {
    const refuse = (reason: string) => answer(request, type, { message: `${controllerId}: ${reason}` });
    if (isValidating) return refuse('another validation is running on this channel');
    isValidating = true;
    try {
      const { count, results } = await begin(request.body);
      await answer(request, type, { success: true, count: BigInt(count) });
      for await (const body of results) {
        if (signal.aborted) return;
        await send(preEncoded({ ...result, contentType: resultType }), body, []);
      }
    } catch (error) {
      if (error instanceof ValidationRefused) await refuse(error.message);
      else end();
    } finally {
      isValidating = false;
    }
  };
  /** Counts a request as waiting until the function that it returns is called. */
  const hold = (bytes: number): (() => void) => {
    waiting++;
    waitingBytes += bytes;
    return () => {
      waiting--;
      waitingBytes -= bytes;
    };
  };
  /** Later requests do not wait for this answer. But it counts until it has left: who reads no answers cannot ask for ever more of them. */
  const answerBeside = (answered: Promise<void>, bytes: number): void => void answered.catch(end).finally(hold(bytes));
  const handle = async (request: Frame, bytes: number): Promise<void> => {
    const { contentType } = request;
    const validation = validations.get(contentType);
    if (contentType === ping.contentType) return answerResult(request, true, '');
    if (contentType === streamEventsRequest.contentType) return streamEvents(request);
    if (contentType === inspectRequest.contentType) return answerBeside(inspect(request), bytes);
    if (contentType === streamTraces.contentType) return followTraces(request);
    if (contentType === togglePipeTraces.contentType) {
      const { success, report } = await toggleTraces(request.body);
      return answerResult(request, success, report);
    }
    if (validation) return answerBeside(validate(request, validation), bytes);
    // Other messages are ignored.
  };
  return {
    receive: (message) => {
      if (signal.aborted) return;
      let request: Frame;
      try {
        request = readFrame(message);
      } catch {
        return end();
      }
      const release = hold(message.length);
      if (waiting > MAX_WAITING || waitingBytes > MAX_WAITING_BYTES) return end();
      work = work
        .then(() => (signal.aborted ? undefined : handle(request, message.length)))
        .catch(end)
        .finally(release);
    },
    ended: end,
  };
};

const utf8 = new TextEncoder();

/** Maximum number of bytes of the headers of a request. */
const MAX_HEADER_BYTES = 65_536;

/**
 * Reads a message that must be exactly one frame.
 * @throws Malformed
 */
const readFrame = (bytes: Uint8Array): Frame => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < PREFIX_BYTES || MARKER.some((byte, i) => bytes[i] !== byte)) throw new Malformed('the message is not a frame');
  const headers = view.getUint32(12, true);
  const body = PREFIX_BYTES + headers;
  if (headers > MAX_HEADER_BYTES || body + view.getUint32(16, true) !== bytes.length)
    throw new Malformed('the message is not exactly one frame');
  return {
    contentType: view.getInt32(4, true),
    sequence: view.getInt32(8, true),
    headers: decodeHeaders(bytes.subarray(PREFIX_BYTES, body)),
    body: bytes.subarray(body),
  };
};

/** The reason of a refusal for the client; undefined for errors that end the channel, such as a right that is lost. */
const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof StreamRefused) return error.message;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'reason' in cause && typeof cause.reason === 'string' ? cause.reason : undefined;
};
