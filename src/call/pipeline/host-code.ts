/** Runs the host's own code: its rule, and its hook `before`. */

import { ApiError, explained } from '../../contract/errors/index.ts';
import { isoTime, pause } from '../../runtime/platform/clock.ts';
import type { Clock, Random } from '../../runtime/platform/platform.ts';
import type { Core } from '../core.ts';
import type { HostAnswers } from '../enclosing-transaction.ts';

/** Time limit for the host's code while a transaction of the host is open. ms */
const MAX_WAIT_MS = 5000;

const MESSAGE = `code of the host had no answer within ${MAX_WAIT_MS} ms in a transaction of the host, or waited for the store: it must pass the option transaction to its calls`;

const refusals = new WeakSet<object>();

const waited = (): ApiError => {
  const refusal = explained('CONFLICT', MESSAGE);
  refusals.add(refusal);
  return refusal;
};

/** True for the refusal of `answerOfHost`, which says more than that the host's code failed. */
export const isWaitRefusal = (error: unknown): boolean => typeof error === 'object' && error !== null && refusals.has(error);

/**
 * Waits for the answer of the host's own code. In a transaction of the host it waits for a limited time, because code that itself waits for
 * the transaction, such as a write without it, would not answer before the transaction ends.
 * @throws ApiError `CONFLICT` after that time, or if that code found the store busy
 */
export const answerOfHost = async <T>(answer: T | Promise<T>, isInTransaction: boolean, clock: Clock): Promise<T> => {
  if (!isInTransaction) return answer;
  const answered = new AbortController();
  const late = pause(clock, MAX_WAIT_MS, answered.signal).then((): never => {
    throw waited();
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'SERVER_UNAVAILABLE' ? waited() : error;
  } finally {
    answered.abort();
    late.catch(() => undefined);
  }
};

/** Maximum number of times that a transaction runs until the host's code has answered all its questions. */
const MAX_RUNS = 20;

/** The answers of the host's code to the nested calls of one call. As a source of random values, it repeats those of the first run. */
export class RecordedHostAnswers implements HostAnswers, Random {
  readonly core: Core;
  readonly now: string;
  readonly #known = new Map<string, Promise<unknown>>();
  readonly #unanswered = new Map<string, () => Promise<unknown>>();
  readonly #repeated = new Map<string, number>();
  readonly #drawn: (Uint8Array | string)[] = [];
  readonly #random: Random;
  #draws = 0;

  constructor(core: Core) {
    const { platform } = core;
    this.#random = platform.random;
    this.core = { ...core, platform: { ...platform, random: this } };
    this.now = isoTime(platform.clock.now());
  }

  get isIncomplete(): boolean {
    return this.#unanswered.size > 0;
  }

  answer<T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> | undefined {
    const text = JSON.stringify(question);
    const number = (this.#repeated.get(text) ?? 0) + 1;
    this.#repeated.set(text, number);
    const key = `${number} ${text}`;
    const known = this.#known.get(key) as Promise<T> | undefined; // the same question has the same type of answer
    if (!known) this.#unanswered.set(key, ask);
    return known;
  }

  bytes(length: number): Uint8Array {
    const former = this.#drawn[this.#draws];
    const isSame = former instanceof Uint8Array && former.length === length;
    const drawn = isSame ? former.slice() : this.#random.bytes(length);
    this.#drawn[this.#draws++] = drawn.slice();
    return drawn;
  }

  uuid(): string {
    const former = this.#drawn[this.#draws];
    const drawn = typeof former === 'string' ? former : this.#random.uuid();
    this.#drawn[this.#draws++] = drawn;
    return drawn;
  }

  /** Call when a run begins. */
  begin(): void {
    this.#unanswered.clear();
    this.#repeated.clear();
    this.#draws = 0;
  }

  /**
   * Call when a run ends, before anything is committed.
   * @throws if questions are left, so that the transaction is rolled back
   */
  end(): void {
    if (this.isIncomplete) throw new Error('the host has questions to answer first');
  }

  /**
   * Answers the questions of a run, in order, after it has been rolled back. A refusal ends the call, so what comes after it is not asked.
   * @param runs number of runs so far
   * @throws ApiError `CONFLICT` if each of very many runs had new questions; the reason of `signal`
   */
  async answerAll(runs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (runs === MAX_RUNS)
      throw explained(
        'CONFLICT',
        `the host's rule or hook was asked ${MAX_RUNS} times, and each time the entities had changed since: make fewer dependent changes at once`,
      );
    const questions = [...this.#unanswered];
    this.#unanswered.clear();
    for (const [key, ask] of questions) {
      const answer = ask();
      this.#known.set(key, answer);
      try {
        await answer;
      } catch {
        return;
      }
    }
  }
}
