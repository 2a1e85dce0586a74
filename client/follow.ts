import type { ServerSentEvent } from '../src/contract/api/surfaces/http-output.ts';
import { ApiError } from '../src/contract/errors/index.ts';

export interface Reconnection {
  /**
   * Requests the events after an id or, if it is undefined, those that the caller's input selects.
   * @throws ApiError if the request fails
   */
  connect(lastEventId: string | undefined): Promise<AsyncIterable<ServerSentEvent>>;
  wait(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** Initial delay before reconnecting, in milliseconds, unless the server sends another value. */
const RETRY_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/**
 * Iterates over the items of an operation that answers with events. If a connection is lost, it reconnects with exponential backoff, and
 * resumes after the last event.
 * @throws ApiError if the error is not transient, or if no event id has been received yet; the reason of `signal`
 */
export async function* follow({ connect, wait, signal }: Reconnection): AsyncGenerator<unknown, void, undefined> {
  let lastEventId: string | undefined;
  let retry = RETRY_MS;
  for (let failures = 0; ; failures++) {
    try {
      for await (const event of await connect(lastEventId)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        retry = event.retry ?? retry;
        if (event.data !== undefined) yield JSON.parse(event.data);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (lastEventId === undefined || !isTransient(error)) throw error;
    }
    signal?.throwIfAborted();
    // With jitter, so that clients do not all reconnect simultaneously.
    const pause = Math.min(retry * 2 ** failures, MAX_PAUSE_MS) * (1 + Math.random() / 4);
    await unlessAborted(wait(pause), signal);
  }
}

const isTransient = (error: unknown): boolean => error instanceof ApiError && (error.status === 429 || error.status === 503);

/** @throws the reason of `signal` */
const unlessAborted = async (waiting: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  const { promise: aborted, resolve: end } = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => end(), { once: true });
  await Promise.race([waiting, aborted]);
  signal?.throwIfAborted();
};
