/** Controls how reads share the connections of a store that has only a few. */
import { WaitQueue } from '../../runtime/concurrency/semaphore.ts';
import type { Priority, TransactionOptions } from './port.ts';

/** A `lookup` slot is only for readers whose caller is not identified yet. */
type Slot = 'ordinary' | 'lookup';

/**
 * The slots of ordinary readers. There are fewer slots than connections, so that some connections remain free for reserved readers
 * (bulkhead pattern). One extra slot serves readers whose caller is not identified yet: they wait at most for each other's short reads, and
 * together occupy only one more connection.
 */
export class ReaderSlots {
  readonly #free: Record<Slot, number>;
  readonly #known = new WaitQueue<{ slot: Slot }>();
  readonly #unknown = new WaitQueue<{ slot: Slot }>();

  /** @param ordinary the number of slots for ordinary readers, at least two fewer than the number of connections */
  constructor(ordinary: number) {
    this.#free = { ordinary, lookup: 1 };
  }

  /** @returns undefined if no slot is free */
  take(isKnown: boolean): Slot | undefined {
    const slot = this.#free.ordinary > 0 ? 'ordinary' : !isKnown && this.#free.lookup > 0 ? 'lookup' : undefined;
    if (slot) this.#free[slot]--;
    return slot;
  }

  /**
   * Waits for a slot.
   * @throws the reason of `signal`, once aborted
   */
  async wait(isKnown: boolean, signal: AbortSignal | undefined): Promise<Slot> {
    const waiter: { slot: Slot } = { slot: 'ordinary' };
    await (isKnown ? this.#known : this.#unknown).wait(waiter, signal);
    return waiter.slot;
  }

  /** Passes a slot to the next waiting reader, or frees it if none waits. */
  release(slot: Slot): void {
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
  #slot: Slot | undefined;

  constructor(slots: ReaderSlots, options: TransactionOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /**
   * Await this before the transaction takes a connection.
   * @throws the reason of the signal, once aborted
   */
  acquire(): Promise<void> | undefined {
    this.#priority = this.#options.priority?.();
    if (this.#priority === 'reserved') return undefined;
    const isKnown = this.#priority === 'ordinary';
    this.#slot = this.#slots.take(isKnown);
    return this.#slot ? undefined : this.#wait(isKnown);
  }

  async #wait(isKnown: boolean): Promise<void> {
    const admitted = this.#options.onWait?.();
    try {
      this.#slot = await this.#slots.wait(isKnown, this.#options.signal);
    } finally {
      admitted?.();
    }
  }

  /**
   * Call before each later statement.
   * @returns false if the caller turns out to be ordinary and no slot is free. The transaction must then end and run again
   */
  mayContinue(): boolean {
    if (this.#priority !== undefined) return true;
    const priority = this.#options.priority?.();
    if (priority === undefined) return true;
    if (priority === 'reserved') this.release();
    else if (this.#slot === 'lookup') {
      const slot = this.#slots.take(true);
      if (!slot) return false;
      this.release();
      this.#slot = slot;
    }
    this.#priority = priority;
    return true;
  }

  /** Call when the transaction has returned its connection. */
  release(): void {
    if (this.#slot) this.#slots.release(this.#slot);
    this.#slot = undefined;
  }
}
