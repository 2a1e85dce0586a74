import { abandon, ENDED, iteratedOnce } from './event-stream.ts';
import type { CoreAnswer } from './message.ts';
import { Unread, type UnreadAnswers } from './unread-answers.ts';

type Parts = AsyncIterable<Uint8Array>;
type Part = IteratorResult<Uint8Array, undefined>;
type Sent = Required<Pick<CoreAnswer, 'signal'>> & { readonly body: Parts };

/** A body that is produced independently of how fast its client reads, so that its sources are released early. */
export interface HeldBody extends Sent {
  /** True once no more parts are needed. */
  readonly isOver: boolean;
  add(part: Uint8Array): void;
  /**
   * Marks the end of the body.
   * @param failure the error that ended it early
   */
  end(failure?: unknown): void;
}

/** Maximum number of bytes passed to an adapter at a time. They stay in memory until the client has read them. */
const MAX_PART_BYTES = 65_536;
/** Minimum size of a whole body that is counted; shorter bodies fit into the buffers of a connection. */
const MIN_COUNTED_BYTES = 16_384;

const utf8 = new TextEncoder();

export const heldBody = (unread: UnreadAnswers, client: string): HeldBody => {
  const cutOff = new AbortController();
  let parts: Uint8Array[] = [];
  let [isComplete, isOver] = [false, false];
  let failure: unknown;
  /** Number of bytes last passed to the adapter, and not yet known to be read. */
  let inFlight = 0;
  let wake: (() => void) | undefined;

  const finish = () => {
    isOver = true;
    parts = [];
    wake?.();
  };
  const answer = unread.open(client, () => {
    failure = new Unread();
    finish();
    cutOff.abort(failure);
  });
  const end = () => {
    finish();
    answer.end();
  };
  const takePart = (): Part | undefined => {
    const [first] = parts;
    if (!first) return undefined;
    const value = first.subarray(0, MAX_PART_BYTES);
    inFlight = value.byteLength;
    if (inFlight < first.byteLength) parts[0] = first.subarray(inFlight);
    else parts.shift();
    return { value };
  };
  const next = async (): Promise<Part> => {
    if (inFlight > 0) answer.take(inFlight);
    inFlight = 0;
    for (;;) {
      if (!isOver && (failure !== undefined || (isComplete && parts.length === 0))) end();
      if (failure !== undefined) throw failure;
      if (isOver) return ENDED;
      const part = takePart();
      if (part) return part;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    body: iteratedOnce(next, () => {
      if (!isOver) end();
    }),
    signal: cutOff.signal,
    get isOver() {
      return isOver;
    },
    add: (part) => {
      if (isOver || part.byteLength === 0) return;
      parts.push(part);
      answer.add(part.byteLength);
      wake?.();
    },
    end: (reason) => {
      isComplete = true;
      failure ??= reason;
      wake?.();
    },
  };
};

/**
 * Produces the whole body. Never rejects.
 * @param onError called if the body cannot be produced
 */
export const produce = async (
  held: HeldBody,
  parts: AsyncIterable<string | Uint8Array>,
  onError: (error: unknown) => void,
): Promise<void> => {
  try {
    for await (const part of parts) {
      held.add(typeof part === 'string' ? utf8.encode(part) : part);
      if (held.isOver) break;
    }
    held.end();
  } catch (error) {
    onError(error);
    held.end(error);
  }
};

/** Counts the body of an answer as unread until the client has read it; for a stream, only the part in memory. */
export const countUnread = (answer: CoreAnswer, unread: UnreadAnswers, client: string): CoreAnswer => {
  const { body, signal } = answer;
  if (signal) return answer;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return { ...answer, ...countedParts(body, unread, client) };
  if (body.length < MIN_COUNTED_BYTES) return answer;
  const bytes = typeof body === 'string' ? utf8.encode(body) : body;
  const held = heldBody(unread, client);
  held.add(bytes);
  held.end();
  const headers = { ...answer.headers, 'content-length': String(bytes.byteLength) };
  return { ...answer, headers, body: held.body, signal: held.signal };
};

const countedParts = (parts: Parts, unread: UnreadAnswers, client: string): Sent => {
  const cutOff = new AbortController();
  const source = parts[Symbol.asyncIterator]();
  let inFlight = 0;
  const answer = unread.open(client, () => {
    abandon(source);
    cutOff.abort(new Unread());
  });
  const next = async (): Promise<Part> => {
    if (inFlight > 0) answer.take(inFlight);
    inFlight = 0;
    cutOff.signal.throwIfAborted();
    const part = await source.next();
    if (part.done) return ENDED;
    answer.add((inFlight = part.value.byteLength));
    return part;
  };
  const body = iteratedOnce(next, () => {
    answer.end();
    return source.return?.();
  });
  return { body, signal: cutOff.signal };
};
