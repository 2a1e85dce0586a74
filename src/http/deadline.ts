import type { Operation } from '../api/kit/operation.ts';
import { ApiError } from '../errors/index.ts';
import type { SharedTimer } from '../platform/clock.ts';

/**
 * The time limit of some work, and its signal, which is aborted when the time is over or the client has disconnected.
 * The signal is created on first use, because it costs more than the rest of this class. The limit ends with the work.
 */
export class Deadline {
  readonly #limit: SharedTimer;
  readonly #client: { readonly signal?: AbortSignal | undefined };
  #own: AbortController | undefined;
  #followed: AbortSignal | undefined;
  #isLate = false;
  #isOutlived = false;
  readonly #clientGone = () => this.#own?.abort(timeout('the client went away'));

  /** @param limit fires when the time is over */
  constructor(limit: SharedTimer, client: { readonly signal?: AbortSignal | undefined }) {
    this.#limit = limit;
    this.#client = client;
  }

  /** Aborted with an ApiError, which `throwIfAborted()` throws. */
  get signal(): AbortSignal {
    if (this.#own) return this.#own.signal;
    this.#own = new AbortController();
    this.#followed = this.#client.signal;
    if (this.#isLate) this.#own.abort(timeout(LATE));
    else if (this.#followed?.aborted) this.#clientGone();
    else this.#followed?.addEventListener('abort', this.#clientGone, { once: true });
    return this.#own.signal;
  }

  /**
   * When the time is over, the work gets one more turn of the event loop: if it has committed and only announces its changes, it succeeds.
   * @param discard takes a result that comes too late
   * @returns the result of `work`
   * @throws errors of `work`; `late()` once the time is over, unless `work` then rejects because it never started (429). Called once.
   */
  race<T>(work: Promise<T>, late: () => ApiError, discard: (result: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let graceTimer: ReturnType<typeof setTimeout> | undefined;
      let isOver = false;
      const refuse = () => {
        isOver = true;
        reject(late());
      };
      const expire = () => {
        this.#isLate = true;
        this.#own?.abort(timeout(LATE));
        graceTimer = setTimeout(refuse, 0);
      };
      const cancel = this.#limit(expire);
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
   * For work that continues after its answer has begun, such as a stream: it has no deadline, and is aborted when the client disconnects.
   * @returns aborts it, at its end at the latest
   */
  outlive(): () => void {
    this.#isOutlived = true;
    void this.signal; // follows the client from now on
    return () => {
      this.#unfollow();
      this.#clientGone();
    };
  }

  #unfollow(): void {
    this.#followed?.removeEventListener('abort', this.#clientGone);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS';

/** 503, or another status. */
export const timeout = (message: string, status?: number): ApiError =>
  new ApiError('TIMEOUT', { cause: { code: 'UNHANDLED', message }, ...(status === undefined ? {} : { status }) });

/** The error after the time limit. The outcome of a write is then unknown: it may be committing at this moment. */
export const tooLate = ({ method }: Pick<Operation, 'method'>): ApiError =>
  timeout(
    method === 'GET'
      ? LATE
      : `${LATE}, and it is unknown whether the change was made: read what was to be changed before the request is made again`,
  );

const LATE = 'the time limit is over';
