import { type Actor, isAdministrator } from '../call/actor.ts';
import { ApiError, explained, RETRY_AFTER, unavailable } from '../contract/errors/index.ts';
import type { Release } from '../runtime/concurrency/semaphore.ts';
import type { Logger } from '../runtime/platform/platform.ts';
import type { Deadline } from './deadline.ts';
import { abandon, ENDED, iteratedOnce } from './event-stream.ts';

/** The client of a stream: an identity or, without one, an address. */
export interface StreamClient {
  readonly name: string;
  readonly isAdministrator: boolean;
}

/** The client that limits apply to: an identity, across all of its sessions, or else an address. */
export const streamClientOf = (actor: Actor | undefined, { remoteAddress }: { readonly remoteAddress: string }): StreamClient =>
  actor && 'identity' in actor
    ? { name: actor.identity.id, isAdministrator: isAdministrator(actor) }
    : { name: remoteAddress, isAdministrator: false };

/** The open streams of a handler: answers that continue until their clients disconnect. */
export interface Streams {
  /**
   * Opens a stream, which occupies a slot until it ends: by itself, by `return()`, or because the client disconnects. Parts are produced on
   * demand.
   * @param context logged if the stream fails
   * @param hasEnd true if the stream is cut off whenever its source fails, because its client must not take a part for the whole
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the client has used up its slots; `SERVER_UNAVAILABLE` if all slots are taken
   */
  open(
    parts: AsyncIterable<string | Uint8Array>,
    client: StreamClient,
    deadline: Deadline,
    context: Readonly<Record<string, unknown>>,
    hasEnd?: boolean,
  ): AsyncIterable<Uint8Array>;
}

export interface StreamLimits {
  /** Maximum number of concurrent streams. A quarter of them are reserved for administrators. */
  readonly maxOpenStreams: number;
  /** Maximum number of concurrent streams of one identity. */
  readonly maxOpenStreamsPerIdentity: number;
}

type Part = IteratorResult<Uint8Array, undefined>;

const utf8 = new TextEncoder();

export const createStreams = ({ maxOpenStreams, maxOpenStreamsPerIdentity }: StreamLimits, logger: Pick<Logger, 'error'>): Streams => {
  const slots = createSlots(maxOpenStreams, maxOpenStreamsPerIdentity);
  return {
    open: (parts, client, deadline, context, hasEnd = false) => {
      const source = parts[Symbol.asyncIterator]();
      let release: Release;
      try {
        release = slots.take(client);
      } catch (error) {
        abandon(source);
        throw error;
      }
      let isOver = false;
      let resolveNext: ((part: Part) => void) | undefined;
      const stop = deadline.outlive();
      const { signal } = deadline;
      const end = () => {
        if (isOver) return;
        isOver = true;
        release();
        signal.removeEventListener('abort', end);
        stop();
        abandon(source);
        resolveNext?.(ENDED);
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();

      // Does not use `Promise.race` with the end of the stream: each race would leave a reaction on a promise that lives as long as the
      // stream.
      const next = (): Promise<Part> => {
        if (isOver) return Promise.resolve(ENDED);
        const { promise, resolve, reject } = Promise.withResolvers<Part>();
        resolveNext = resolve;
        source.next().then(
          ({ done, value }) => {
            if (done) end();
            else resolve({ value: typeof value === 'string' ? utf8.encode(value) : value });
          },
          (error: unknown) => {
            // A stream cannot express an error. It ends, so that the client reconnects and gets the error as an ordinary answer.
            if (isRefusal(error) && !hasEnd) return end();
            if (!isOver && !isRefusal(error))
              logger.error('a stream was cut off: its source failed; the client may reconnect', { ...context, error });
            reject(error);
            end();
          },
        );
        return promise;
      };
      return iteratedOnce(next, end);
    },
  };
};

/** The share of streams reserved for administrators, so that other clients cannot lock them out. */
const RESERVED_SHARE = 1 / 4;

const createSlots = (max: number, maxPerClient: number) => {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take: ({ name, isAdministrator }: StreamClient): Release => {
      const ownCount = taken.get(name) ?? 0;
      if (ownCount >= maxPerClient)
        throw explained('SERVER_TOO_MANY_REQUESTS', `this identity already has ${ownCount} open streams, which is the maximum`, {
          retryAfter: RETRY_AFTER.busy,
        });
      if (total >= (isAdministrator ? max : max - Math.floor(max * RESERVED_SHARE)))
        throw unavailable(`the controller already has ${total} open streams: try again later`);
      taken.set(name, ownCount + 1);
      total++;
      return () => {
        total--;
        const remaining = (taken.get(name) ?? 1) - 1;
        if (remaining > 0) taken.set(name, remaining);
        else taken.delete(name);
      };
    },
  };
};

/** True for a client error, e.g. if the API session has lost its permission. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;
