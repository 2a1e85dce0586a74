import { ApiError } from '../src/contract/errors/index.ts';
import { outputOf } from './answer.ts';
import type { RemoteOperation } from './remote-operation.ts';
import type { OutgoingRequest } from './request.ts';
import { unansweredError } from './unanswered-error.ts';

export interface TransportOptions {
  /** The function that makes requests. Default: the runtime's own `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Time limit of each attempt, in milliseconds; for a stream of events, until its headers arrive. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum number of retries after the first attempt, if retrying is safe. Default: 2. */
  readonly retries?: number;
  /** Waits before a retry; tests can replace it. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * Sends a request, retries it if that is safe, and returns the operation's output.
 * @throws ApiError, SessionRefused, the reason of `signal`
 */
export type Transport = (
  operation: RemoteOperation,
  request: OutgoingRequest,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<unknown>;

/** A 401 for an invalid session: the request may succeed in another session. */
export class SessionRefused extends Error {
  readonly refusal: unknown;
  constructor(refusal: unknown) {
    super('the session was refused');
    this.refusal = refusal;
  }
}

/** Part of the challenge of a 401 if the session itself is invalid, but not if it lacks a permission. */
const TOKEN_REFUSED = 'error="invalid"';

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const createTransport = (
  address: string,
  { fetch = (url, init) => globalThis.fetch(url, init), timeoutMs = 30_000, retries = 2, wait: pause = wait }: TransportOptions,
): Transport => {
  /** @param isStream true if the time limit applies only until the headers of the answer arrive */
  const send = async (
    { method, target, headers, body }: OutgoingRequest,
    sessionHeaders: Readonly<Record<string, string>>,
    isStream: boolean,
    signal?: AbortSignal,
  ) => {
    const timer = new AbortController();
    const limit = isStream ? timer.signal : AbortSignal.timeout(timeoutMs);
    const cancel = isStream ? abortAfter(timer, timeoutMs) : undefined;
    const init = {
      method,
      headers: { ...headers, ...sessionHeaders },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    } as const;
    try {
      return await fetch(`${address}${target}`, init);
    } catch (error) {
      signal?.throwIfAborted();
      throw unansweredError(
        `${method} ${address}${target}`,
        limit.aborted ? new Error(`the time limit of ${timeoutMs} ms is over`) : error,
      );
    } finally {
      cancel?.();
    }
  };

  return async (operation, request, headers, signal) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await send(request, headers, operation.answer === 'events', signal);
        if (response.headers.get('www-authenticate')?.includes(TOKEN_REFUSED))
          throw new SessionRefused(await outputOf(operation, response).catch((error: unknown) => error));
        return await outputOf(operation, response);
      } catch (error) {
        if (attempt >= retries || !isRetryable(error, request)) throw error;
        await pause(pauseMs(error, attempt));
        signal?.throwIfAborted();
      }
    }
  };
};

const abortAfter = (controller: AbortController, milliseconds: number): (() => void) => {
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return () => clearTimeout(timer);
};

/** Maximum delay before a retry, without jitter. */
const MAX_PAUSE_MS = 30_000;
/** Delay before the first retry, unless the server requests another. */
const FIRST_PAUSE_MS = 200;

/**
 * A 429 means that nothing was done. After a 503 or no answer, a retried POST might be executed twice, and a condition might fail because
 * the first attempt has already changed the entity. There is no retry if the server requests a longer delay than the maximum, because an
 * earlier retry would be useless.
 */
const isRetryable = (error: unknown, { method, isConditional, isKeyed }: OutgoingRequest): boolean =>
  error instanceof ApiError &&
  (error.status === 429 ||
    (error.status === 503 && (method !== 'POST' || isKeyed === true) && !isConditional) ||
    (isKeyed === true && error.code === 'CONFLICT' && error.retryAfter !== undefined)) &&
  (error.retryAfter ?? 0) * 1000 <= MAX_PAUSE_MS;

/**
 * The delay that the server requests, or exponential backoff starting at 200 ms. Up to a quarter is added as jitter, so that clients do not
 * retry simultaneously.
 */
const pauseMs = (error: unknown, attempt: number): number => {
  const delayMs = error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : FIRST_PAUSE_MS * 2 ** attempt;
  return Math.min(delayMs, MAX_PAUSE_MS) * (1 + Math.random() / 4);
};
