import type { ServerSentEvent } from '../api/surfaces/http-output.ts';
import { ApiError } from '../errors/index.ts';

export interface Connecting {
  /** Requests the events after this id; without an id, those of the caller's input. @throws ApiError for a refusal */
  connect(lastEventId: string | undefined): Promise<AsyncIterable<ServerSentEvent>>;
  wait(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** Before reconnecting, unless the server sends another value. ms */
const RETRY_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * The items of an operation that answers events. If a connection is lost, it reconnects, and resumes after the last event.
 * @throws ApiError for a refusal, and if the first connection fails; the reason of `signal`
 */
export async function* follow({ connect, wait, signal }: Connecting): AsyncGenerator<unknown, void, undefined> {
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
      if (lastEventId === undefined || !isPassing(error)) throw error;
    }
    signal?.throwIfAborted();
    // With jitter, so that clients do not all reconnect simultaneously.
    const pause = Math.min(retry * 2 ** failures, LONGEST_PAUSE_MS) * (1 + Math.random() / 4);
    await unlessAborted(wait(pause), signal);
  }
}

const isPassing = (error: unknown): boolean => error instanceof ApiError && (error.status === 429 || error.status === 503);

/** @throws the reason of `signal` */
const unlessAborted = async (waiting: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  const { promise: aborted, resolve: end } = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => end(), { once: true });
  await Promise.race([waiting, aborted]);
  signal?.throwIfAborted();
};
