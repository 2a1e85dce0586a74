import { ApiError, unavailable } from '../errors/index.ts';
import type { Logger } from '../platform/platform.ts';
import { abandon } from './abandon.ts';
import type { Deadline } from './deadline.ts';

/** The bodies of a handler that are sent as they are made. */
export interface Streams {
  /**
   * Takes a place until the stream ends: by itself, by `return()`, or because the client went away. Nothing is made before it is asked for.
   * @param context for the log, should the stream fail
   * @throws ApiError `SERVER_UNAVAILABLE` when all places are taken
   */
  open(
    parts: AsyncIterable<string | Uint8Array>,
    deadline: Deadline,
    context: Readonly<Record<string, unknown>>,
  ): AsyncIterable<Uint8Array>;
}

type Part = IteratorResult<Uint8Array, undefined>;

const ENDED: Part = Object.freeze({ done: true, value: undefined });
const utf8 = new TextEncoder();

/** @param most streams that may be open at once */
export const createStreams = (most: number, logger: Pick<Logger, 'error'>): Streams => {
  let taken = 0;
  return {
    open: (parts, deadline, context) => {
      const source = parts[Symbol.asyncIterator]();
      if (taken >= most) {
        abandon(source);
        throw unavailable(`${most} streams are open already: try again later`);
      }
      taken++;
      let isOver = false;
      let give: ((part: Part) => void) | undefined;
      const stop = deadline.outlive();
      const { signal } = deadline;
      const end = () => {
        if (isOver) return;
        isOver = true;
        taken--;
        signal.removeEventListener('abort', end);
        stop();
        abandon(source);
        give?.(ENDED);
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();

      // Not a race with the end of the stream: each would leave something behind at a promise that lives as long as the stream.
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
            if (!isOver) logger.error('a stream was broken off, as its source failed', { ...context, error });
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

/** E.g. the API session has lost its permission. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;
