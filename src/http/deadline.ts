import type { Operation } from '../api/kit/operation.ts';
import { ApiError } from '../errors/index.ts';

/** Longest delay that timers know; above, they fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * The time that a piece of work has, and the signal that tells it to stop: when the time is over, or the client has gone away.
 * The signal is made when it is first asked for, for it costs more than the rest of this. The timer ends with the work.
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #client: { readonly signal?: AbortSignal };
  #own: AbortController | undefined;
  #followed: AbortSignal | undefined;
  #isLate = false;
  readonly #clientGone = () => this.#own?.abort(timeout('the client went away'));

  /** @param milliseconds `Infinity` for no limit */
  constructor(milliseconds: number, client: { readonly signal?: AbortSignal }) {
    this.#milliseconds = milliseconds;
    this.#client = client;
  }

  /** Its reason is an ApiError, so that `throwIfAborted()` tells the caller what happened. */
  get signal(): AbortSignal {
    if (this.#own) return this.#own.signal;
    this.#own = new AbortController();
    this.#followed = this.#client.signal;
    if (this.#isLate) this.#own.abort(timeout(LATE));
    else if (this.#followed?.aborted) this.#clientGone();
    else this.#followed?.addEventListener('abort', this.#clientGone, { once: true });
    return this.#own.signal;
  }

  /** @returns what `work` gives, or `late()` once the time is over. Called once. */
  race<T>(work: Promise<T>, late: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer =
        this.#milliseconds > LONGEST
          ? undefined
          : setTimeout(() => {
              this.#isLate = true;
              this.#own?.abort(timeout(LATE));
              resolve(late());
            }, this.#milliseconds);
      const end = () => {
        clearTimeout(timer);
        this.#followed?.removeEventListener('abort', this.#clientGone);
      };
      work.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }
}

/** 503, or another status. */
export const timeout = (message: string, status?: number): ApiError =>
  new ApiError('TIMEOUT', { cause: { code: 'UNHANDLED', message }, ...(status === undefined ? {} : { status }) });

/** Of a change nobody knows then whether it was made: it may be committed at this very moment. */
export const tooLate = ({ method }: Pick<Operation, 'method'>): ApiError =>
  timeout(
    method === 'GET'
      ? LATE
      : `${LATE}, and it is unknown whether the change was made: read what was to be changed before the request is made again`,
  );

const LATE = 'the time limit is over';
