import { ApiError } from '../errors/index.ts';
import { outputOf } from './answer.ts';
import type { RemoteOperation } from './remote-operation.ts';
import type { Outgoing } from './request.ts';
import { unanswered } from './unanswered.ts';

export interface TransportOptions {
  /** The function that makes requests. Default: the runtime's own `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Time limit of each attempt, in milliseconds; for a stream of events, only until its headers arrive. Default 30,000. */
  readonly timeoutMs?: number;
  /** Maximum number of retries after the first attempt, if retrying is safe. Default 2. */
  readonly retries?: number;
  /** How to wait; for tests. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** Makes a request, retries it if that is safe, and returns the operation's output. @throws ApiError, SessionRefused, the reason of `signal` */
export type Transport = (
  operation: RemoteOperation,
  request: Outgoing,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<unknown>;

/** A 401 that rejects the session itself: the request may succeed in another session. */
export class SessionRefused extends Error {
  readonly refusal: unknown;
  constructor(refusal: unknown) {
    super('the session was refused');
    this.refusal = refusal;
  }
}

/** The challenge of a 401 contains this only if the session itself is invalid, not if it lacks a permission. */
const TOKEN_REFUSED = 'error="invalid"';

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const createTransport = (
  address: string,
  { fetch = (url, init) => globalThis.fetch(url, init), timeoutMs = 30_000, retries = 2, wait: pause = wait }: TransportOptions,
): Transport => {
  /** @param isEndless if true, the time limit ends when the headers of the answer arrive */
  const send = async (
    { method, target, headers, body }: Outgoing,
    sessionHeaders: Readonly<Record<string, string>>,
    isEndless: boolean,
    signal?: AbortSignal,
  ) => {
    const timer = new AbortController();
    const limit = isEndless ? timer.signal : AbortSignal.timeout(timeoutMs);
    const cancel = isEndless ? abortAfter(timer, timeoutMs) : undefined;
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
      throw unanswered(`${method} ${address}${target}`, limit.aborted ? new Error(`the time limit of ${timeoutMs} ms is over`) : error);
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
        if (attempt >= retries || !isWorthRepeating(error, request)) throw error;
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

const MAX_PAUSE_MS = 30_000;

/**
 * A 429 means that no work was done. After a 503 or no answer, a retried POST might be executed twice, and a condition might fail because the first attempt
 * has already changed the entity. If the server requests a longer delay than the maximum, there is no retry: an earlier one would be useless.
 */
const isWorthRepeating = (error: unknown, { method, isConditional, isKeyed }: Outgoing): boolean =>
  error instanceof ApiError &&
  (error.status === 429 ||
    (error.status === 503 && (method !== 'POST' || isKeyed === true) && !isConditional) ||
    (isKeyed === true && error.code === 'CONFLICT' && error.retryAfter !== undefined)) &&
  (error.retryAfter ?? 0) * 1000 <= MAX_PAUSE_MS;

/** The delay that the server requests, or else exponential backoff from 200 ms. Up to a quarter is added as jitter, so that clients do not retry in step. */
const pauseMs = (error: unknown, attempt: number): number => {
  const delayMs = error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : 200 * 2 ** attempt;
  return Math.min(delayMs, MAX_PAUSE_MS) * (1 + Math.random() / 4);
};
