/** Group commit: writers that wait for one another share a transaction, and so the cost of its commit. */
import { isTimeSliceSpent, type Transaction } from '../../../src/adapter-kit.ts';

/** A work of a group, as its transaction runs it. */
type Work<T> = (tx: Transaction) => Promise<T>;

interface Member {
  /** Settled once the transaction is committed. */
  readonly outcome: PromiseWithResolvers<unknown>;
  readonly work: Work<unknown>;
  readonly signal: AbortSignal | undefined;
}

/** The transaction of a group. */
export interface SharedTransaction {
  /** The part of one member, which ends with its work. */
  part<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T>;
  /** Runs work whose statements are undone if it fails. @returns how it ended. @throws if the transaction is lost */
  savepoint<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>>;
}

/** Runs work in a transaction, as the store does. */
export type Begin = (work: (shared: SharedTransaction) => Promise<void>) => Promise<void>;

/** Members of one commit, at most: the first is answered when the last is done. */
const MOST = 16;
/** Turns of the event loop for which it is waited that as many come as lately, at most. They take some tenths of a millisecond together. */
const MOST_GATHERS = 8;

/**
 * Members run one after another in the order in which they came, each in a savepoint of its own: one that fails undoes only what it wrote itself. The first
 * has none: if it fails, there is nothing to be kept.
 */
export class GroupCommit {
  readonly #begin: Begin;
  readonly #gather: () => Promise<void>;
  readonly #waiting = new Set<Member>();
  #isRunning = false;
  /** How many wrote at the same time, lately: those of a commit, and those who were waiting when it ended. One less with each commit to which fewer came. */
  #expected = 1;

  /** @param gather waits until those have come who come at the same time, in a turn of the event loop */
  constructor(begin: Begin, gather: () => Promise<void>) {
    this.#begin = begin;
    this.#gather = gather;
  }

  /** @throws the reason of `signal`, also while it waits; errors of `work`, and of the transaction */
  run<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    const outcome = Promise.withResolvers<T>();
    const member = { outcome: outcome as PromiseWithResolvers<unknown>, work, signal }; // resolved with what its own work gives back
    const cancel = () => {
      if (this.#waiting.delete(member)) outcome.reject(signal?.reason);
    };
    if (signal?.aborted) outcome.reject(signal.reason);
    else {
      this.#waiting.add(member);
      signal?.addEventListener('abort', cancel);
      if (!this.#isRunning) void this.#runAll();
    }
    return outcome.promise.finally(() => signal?.removeEventListener('abort', cancel));
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      await this.#gatherExpected();
      await this.#commitSome();
    }
    this.#isRunning = false;
  }

  /** Clients that are answered together write again at nearly the same time: of two halves that take turns, each would pay for a commit of its own. */
  async #gatherExpected(): Promise<void> {
    let gathers = 0;
    do await this.#gather();
    while (this.#waiting.size < this.#expected && ++gathers < MOST_GATHERS);
  }

  async #commitSome(): Promise<void> {
    const asking = [...this.#waiting];
    const ended: (() => void)[] = [];
    const members: Member[] = [];
    try {
      await this.#begin(async (shared) => {
        // The store answers at once, so that all members run in one turn of the event loop.
        const isFull = () => members.length === MOST || isTimeSliceSpent();
        for (let member = this.#next(); member; member = isFull() ? undefined : this.#next()) {
          members.push(member);
          ended.push(await this.#end(member, shared, members.length === 1));
        }
      });
    } catch (error) {
      // If the transaction could not begin, all writers that were waiting for it have waited for as long as is allowed.
      const failed = members.length > 0 ? members : asking.filter((member) => this.#waiting.delete(member));
      for (const { outcome } of failed) outcome.reject(error);
      return;
    }
    this.#expected = Math.min(MOST, Math.max(members.length + this.#waiting.size, this.#expected - 1));
    for (const settle of ended) settle();
  }

  #next(): Member | undefined {
    const [member] = this.#waiting;
    if (member) this.#waiting.delete(member);
    return member;
  }

  /** @returns what tells the member how it ended */
  async #end({ work, signal, outcome }: Member, shared: SharedTransaction, isFirst: boolean): Promise<() => void> {
    const part = () => shared.part(work, signal);
    const result = isFirst ? await part().then(fulfilled) : await shared.savepoint(part);
    return () => (result.status === 'fulfilled' ? outcome.resolve(result.value) : outcome.reject(result.reason));
  }
}

const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });
