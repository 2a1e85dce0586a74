import type { Release } from '../concurrency/semaphore.ts';
import { ApiError, explained, RETRY_AFTER, unavailable } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import type { Deadline } from './deadline.ts';
import { abandon } from './event-stream.ts';

/** The client of a stream: an identity or, without one, an address. */
export interface StreamClient {
  readonly name: string;
  readonly isAdministrator: boolean;
}

/** The open streams of a handler: answers that last until their clients disconnect. */
export interface Streams {
  /**
   * Takes a slot until the stream ends: by itself, by `return()`, or because the client disconnects. Parts are produced on demand.
   * @param context for the log, should the stream fail
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when the client has its share of the slots; `SERVER_UNAVAILABLE` when all are taken
   */
  open(
    parts: AsyncIterable<string | Uint8Array>,
    client: StreamClient,
    deadline: Deadline,
    context: Readonly<Record<string, unknown>>,
  ): AsyncIterable<Uint8Array>;
}

export interface StreamLimits {
  /** Maximum number of concurrent streams. A quarter of them are for administrators. */
  readonly maxOpenStreams: number;
  /** The share of one identity in these. */
  readonly maxOpenStreamsPerIdentity: number;
}

type Part = IteratorResult<Uint8Array, undefined>;

const ENDED: Part = Object.freeze({ done: true, value: undefined });
const utf8 = new TextEncoder();

export const createStreams = ({ maxOpenStreams, maxOpenStreamsPerIdentity }: StreamLimits, logger: Pick<Logger, 'error'>): Streams => {
  const slots = createSlots(maxOpenStreams, maxOpenStreamsPerIdentity);
  return {
    open: (parts, client, deadline, context) => {
      const source = parts[Symbol.asyncIterator]();
      let release: Release;
      try {
        release = slots.take(client);
      } catch (error) {
        abandon(source);
        throw error;
      }
      let isOver = false;
      let give: ((part: Part) => void) | undefined;
      const stop = deadline.outlive();
      const { signal } = deadline;
      const end = () => {
        if (isOver) return;
        isOver = true;
        release();
        signal.removeEventListener('abort', end);
        stop();
        abandon(source);
        give?.(ENDED);
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();

      // Not `Promise.race` with the end of the stream: each race would leave a reaction at a promise that lives as long as the stream.
      const next = (): Promise<Part> => {
        if (isOver) return Promise.resolve(ENDED);
        const { promise, resolve, reject } = Promise.withResolvers<Part>();
        give = resolve;
        source.next().then(
          ({ done, value }) => {
            if (done) end();
            else resolve({ value: typeof value === 'string' ? utf8.encode(value) : value });
          },
          (error: unknown) => {
            // A stream cannot express a refusal: the client reconnects, and is refused with an ordinary answer.
            if (isRefusal(error)) return end();
            if (!isOver) logger.error('a stream was cut off: its source failed; the client may reconnect', { ...context, error });
            reject(error);
            end();
          },
        );
        return promise;
      };
      const iterator: AsyncIterator<Uint8Array, undefined> = {
        next,
        return: async () => {
          end();
          return ENDED;
        },
      };
      return { [Symbol.asyncIterator]: () => iterator };
    },
  };
};

/** The share of streams reserved for administrators, so that other clients cannot lock them out. */
const RESERVED = 1 / 4;

const createSlots = (most: number, mostOfOne: number) => {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take: ({ name, isAdministrator }: StreamClient): Release => {
      const own = taken.get(name) ?? 0;
      if (own >= mostOfOne)
        throw explained('SERVER_TOO_MANY_REQUESTS', `${own} streams of this identity are open already, and no more may be`, {
          retryAfter: RETRY_AFTER.busy,
        });
      if (all >= (isAdministrator ? most : most - Math.floor(most * RESERVED)))
        throw unavailable(`${all} streams are open already: try again later`);
      taken.set(name, own + 1);
      all++;
      return () => {
        all--;
        const rest = (taken.get(name) ?? 1) - 1;
        if (rest > 0) taken.set(name, rest);
        else taken.delete(name);
      };
    },
  };
};

/** E.g. the API session has lost its permission. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;
