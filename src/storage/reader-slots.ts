/** The order in which reads get connections, for stores with few connections. */
import { WaitQueue } from '../concurrency/semaphore.ts';
import type { Priority, TransactionOptions } from './port.ts';

/** `lookup`: only for a caller that is not known yet. */
type Slot = 'ordinary' | 'lookup';

/**
 * The slots of ordinary readers: fewer than connections, so that the others stay free (bulkhead pattern). There is one slot more for a reader whose caller is
 * not known yet. Such a caller waits for the short reads of others like it at most, and any number of them take one reserved connection.
 */
export class ReaderSlots {
  readonly #free: Record<Slot, number>;
  readonly #known = new WaitQueue<{ slot: Slot }>();
  readonly #unknown = new WaitQueue<{ slot: Slot }>();

  /** @param ordinary the number of slots of ordinary readers, at least two less than there are connections */
  constructor(ordinary: number) {
    this.#free = { ordinary, lookup: 1 };
  }

  /** @returns undefined if none is free */
  take(isKnown: boolean): Slot | undefined {
    const slot = this.#free.ordinary > 0 ? 'ordinary' : !isKnown && this.#free.lookup > 0 ? 'lookup' : undefined;
    if (slot) this.#free[slot]--;
    return slot;
  }

  /** Waits for a slot. @throws the reason of `signal`, once aborted */
  async wait(isKnown: boolean, signal: AbortSignal | undefined): Promise<Slot> {
    const waiter: { slot: Slot } = { slot: 'ordinary' };
    await (isKnown ? this.#known : this.#unknown).wait(waiter, signal);
    return waiter.slot;
  }

  /** Gives a slot back, or to the next that waits for it. */
  give(slot: Slot): void {
    const [next] = slot === 'ordinary' && this.#known.length > 0 ? this.#known : this.#unknown;
    if (!next) this.#free[slot]++;
    else {
      next.entry.slot = slot;
      next.admit();
    }
  }
}

/** The slot of one transaction. */
export class ReaderSlot {
  readonly #slots: ReaderSlots;
  readonly #options: TransactionOptions;
  #priority: Priority | undefined;
  #held: Slot | undefined;

  constructor(slots: ReaderSlots, options: TransactionOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /** To be awaited before the transaction takes a connection. @throws the reason of the signal, once aborted */
  acquire(): Promise<void> | undefined {
    this.#priority = this.#options.priority?.();
    if (this.#priority === 'reserved') return undefined;
    const isKnown = this.#priority === 'ordinary';
    this.#held = this.#slots.take(isKnown);
    return this.#held ? undefined : this.#wait(isKnown);
  }

  async #wait(isKnown: boolean): Promise<void> {
    const admitted = this.#options.onWait?.();
    try {
      this.#held = await this.#slots.wait(isKnown, this.#options.signal);
    } finally {
      admitted?.();
    }
  }

  /**
   * Call before each later statement.
   * @returns false once the caller is known to be ordinary, and no slot is free: the transaction must end, and run again
   */
  mayContinue(): boolean {
    if (this.#priority !== undefined) return true;
    const priority = this.#options.priority?.();
    if (priority === undefined) return true;
    if (priority === 'reserved') this.release();
    else if (this.#held === 'lookup') {
      const slot = this.#slots.take(true);
      if (!slot) return false;
      this.release();
      this.#held = slot;
    }
    this.#priority = priority;
    return true;
  }

  /** Call once the connection is free again. */
  release(): void {
    if (this.#held) this.#slots.give(this.#held);
    this.#held = undefined;
  }
}
