/** Group commit: writers that wait for one another share a transaction, and so the cost of its commit. */
import { isTimeSliceSpent, type Transaction } from '../../../src/adapter-kit.ts';

/** The work of a member. */
type Work<T> = (tx: Transaction) => Promise<T>;

interface Member {
  /** Settled once the transaction is committed. */
  readonly outcome: PromiseWithResolvers<unknown>;
  readonly work: Work<unknown>;
  readonly signal: AbortSignal | undefined;
}

/** The transaction of a group. */
export interface SharedTransaction {
  /** Runs the work of one member, which cannot use the transaction afterwards. */
  part<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T>;
  /**
   * Runs work whose statements are undone if it fails.
   * @returns the outcome of the work.
   * @throws if the transaction is lost
   */
  savepoint<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>>;
}

/** Runs work in a transaction that members share, and commits it. */
type RunShared = (work: (shared: SharedTransaction) => Promise<void>) => Promise<void>;

/** Maximum number of members per commit. It is limited because no member is answered before the last one is done. */
const MAX_MEMBERS = 16;
/** Maximum number of event loop iterations to wait for the expected writers: a few tenths of a millisecond in total. */
const MAX_GATHERS = 8;

/**
 * Members run in order of arrival, each in a savepoint, so that the failure of one undoes only its own writes. The first member needs no
 * savepoint, because nothing was written before it.
 */
export class GroupCommit {
  readonly #runShared: RunShared;
  readonly #gather: () => Promise<void>;
  readonly #waiting = new Set<Member>();
  #isRunning = false;
  /**
   * The expected number of concurrent writers: the members of the last commit and those waiting at its end. Decreases by one with each
   * smaller commit.
   */
  #expected = 1;

  /**
   * @param runShared opens a transaction for each group, and commits it
   * @param gather waits one iteration of the event loop, for writers that arrive at the same time
   */
  constructor(runShared: RunShared, gather: () => Promise<void>) {
    this.#runShared = runShared;
    this.#gather = gather;
  }

  /** @throws the reason of `signal`, even while waiting; errors of `work` and of the transaction */
  run<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    const outcome = Promise.withResolvers<T>();
    const member = { outcome: outcome as PromiseWithResolvers<unknown>, work, signal }; // resolved with the result of its own work
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

  /**
   * Clients that are answered together write again at nearly the same time. If they split into two alternating groups, each group would pay
   * for a commit.
   */
  async #gatherExpected(): Promise<void> {
    let gathers = 0;
    do await this.#gather();
    while (this.#waiting.size < this.#expected && ++gathers < MAX_GATHERS);
  }

  async #commitSome(): Promise<void> {
    const waitingAtStart = [...this.#waiting];
    const settlers: (() => void)[] = [];
    const members: Member[] = [];
    try {
      await this.#runShared(async (shared) => {
        // A synchronous store runs all members in one slice of the event loop.
        const isFull = () => members.length === MAX_MEMBERS || isTimeSliceSpent();
        for (let member = this.#next(); member; member = isFull() ? undefined : this.#next()) {
          members.push(member);
          settlers.push(await this.#runMember(member, shared, members.length === 1));
        }
      });
    } catch (error) {
      // If the transaction could not begin, all writers that were waiting have reached the time limit.
      const failed = members.length > 0 ? members : waitingAtStart.filter((member) => this.#waiting.delete(member));
      for (const { outcome } of failed) outcome.reject(error);
      return;
    }
    this.#expected = Math.min(MAX_MEMBERS, Math.max(members.length + this.#waiting.size, this.#expected - 1));
    for (const settle of settlers) settle();
  }

  #next(): Member | undefined {
    const [member] = this.#waiting;
    if (member) this.#waiting.delete(member);
    return member;
  }

  /** @returns a function that settles the outcome of the member */
  async #runMember({ work, signal, outcome }: Member, shared: SharedTransaction, isFirst: boolean): Promise<() => void> {
    const part = () => shared.part(work, signal);
    const result = isFirst ? await part().then(fulfilled) : await shared.savepoint(part);
    return () => (result.status === 'fulfilled' ? outcome.resolve(result.value) : outcome.reject(result.reason));
  }
}

const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });
