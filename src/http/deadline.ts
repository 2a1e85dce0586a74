import type { Operation } from '../contract/api/kit/operation.ts';
import { ApiError, RETRY_AFTER } from '../contract/errors/index.ts';
import type { SharedTimer } from '../runtime/platform/clock.ts';
import { clearTimeout, setTimeout } from '../runtime/platform/timers.ts';

/**
 * The time limit of some work, and its signal, which is aborted when the time is up or the client disconnects.
 * The signal is created on first use, because it costs more than the rest of this class. The limit is cancelled when the work ends.
 */
export class Deadline {
  readonly #limit: SharedTimer;
  readonly #client: { readonly signal?: AbortSignal | undefined };
  #controller: AbortController | undefined;
  #clientSignal: AbortSignal | undefined;
  #isLate = false;
  #isOutlived = false;
  readonly #onClientGone = () => this.#controller?.abort(timeout('the client has disconnected'));

  /** @param limit fires when the time is up */
  constructor(limit: SharedTimer, client: { readonly signal?: AbortSignal | undefined }) {
    this.#limit = limit;
    this.#client = client;
  }

  /** Aborted with an ApiError, which `throwIfAborted()` throws. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    this.#clientSignal = this.#client.signal;
    if (this.#isLate) this.#controller.abort(timeout(LATE));
    else if (this.#clientSignal?.aborted) this.#onClientGone();
    else this.#clientSignal?.addEventListener('abort', this.#onClientGone, { once: true });
    return this.#controller.signal;
  }

  /**
   * Waits for the work or the time limit. When the time is up, the work gets one more turn of the event loop, so that it can still succeed
   * if it has committed and only has to announce its changes. Must be called only once.
   * @param discard called with a result that arrives too late
   * @returns the result of `work`
   * @throws errors of `work`; once the time is up, the error of `late`, unless `work` rejects because it never started (429)
   */
  race<T>(work: Promise<T>, late: () => ApiError, discard: (result: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let graceTimer: ReturnType<typeof setTimeout> | undefined;
      let isOver = false;
      const cancel = this.#limit(() => {
        this.#isLate = true;
        this.#controller?.abort(timeout(LATE));
        graceTimer = setTimeout(() => {
          isOver = true;
          reject(late());
        }, 0);
      });
      const end = () => {
        cancel();
        if (!this.#isOutlived) this.#unfollow();
      };
      work.then(
        (value) => {
          end();
          if (isOver) discard(value);
          else resolve(value);
        },
        (error: unknown) => {
          end();
          if (this.#isLate && !isRefusal(error)) return;
          clearTimeout(graceTimer);
          reject(error);
        },
      );
    });
  }

  /**
   * Removes the deadline from work that continues after its answer has begun, such as a stream. The signal is still aborted when the client
   * disconnects.
   * @returns a function that aborts the signal and must be called at the end of the work, if not earlier
   */
  outlive(): () => void {
    this.#isOutlived = true;
    void this.signal; // creates the signal, which follows the client's
    return () => {
      this.#unfollow();
      this.#onClientGone();
    };
  }

  #unfollow(): void {
    this.#clientSignal?.removeEventListener('abort', this.#onClientGone);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS';

/** A timeout error, with status 503 and no `retryAfter` by default. */
export const timeout = (
  message: string,
  { status, retryAfter }: { readonly status?: number; readonly retryAfter?: number } = {},
): ApiError =>
  new ApiError('TIMEOUT', {
    cause: { code: 'UNHANDLED', message },
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });

/** The error for a body that did not arrive in time. Nothing was done. */
export const bodyTooLate = (message: string): ApiError => timeout(message, { status: 408, retryAfter: RETRY_AFTER.busy });

/**
 * The error for a request that exceeded the time limit. The outcome of a write is unknown: it may be committing at this moment, so that its
 * client is not told when to repeat it.
 */
export const tooLate = ({ method }: Pick<Operation, 'method'>): ApiError =>
  method === 'GET'
    ? timeout(LATE, { retryAfter: RETRY_AFTER.busy })
    : timeout(`${LATE}, and it is unknown whether the change was made: check the current state before you repeat the request`);

const LATE = 'the time limit was exceeded';
