import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';

/** Resources that the other end of a channel spends: bytes, elements of its messages, and milliseconds of processor time. */
export type SpentResource = 'bytes' | 'elements' | 'milliseconds';

/** A token bucket (ATM Forum, Traffic Management 4.1, 4.4.2): its size, and the rate at which it fills. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * The allowances of a router: half of the main thread permanently, or all of it for two minutes. A router with 100,000 identities
 * and as many idle circuits spends about 700,000 elements and 20 MiB in five minutes.
 */
export const ROUTER_ALLOWANCES: Readonly<Record<SpentResource, Allowance>> = {
  bytes: { burst: 134_217_728, perSecond: 2_097_152 },
  elements: { burst: 2_000_000, perSecond: 20_000 },
  milliseconds: { burst: 60_000, perSecond: 500 },
};

/** The other end has exceeded its budget. The channel is closed. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** The budget of the other end of a channel. */
export interface Budget {
  /** @throws OverBudget */
  spend(spent: Partial<Readonly<Record<SpentResource, number>>>): void;
  /**
   * Runs long work step by step, yields to the event loop between steps, and charges its cost.
   * @param work yields the elements of each step
   * @throws OverBudget; errors of the work
   */
  run<T>(work: Generator<number, T>): Promise<T>;
  /** True if nothing is currently spent. */
  isFull(): boolean;
}

/** Number of elements processed before yielding to the event loop: a few milliseconds of work. */
const ELEMENT_BATCH = 4000;
/** Number of elements between two measurements of time. */
const ELEMENTS_PER_MEASUREMENT = 500;

export const createBudget = (clock: Clock, allowances: Readonly<Record<SpentResource, Allowance>> = ROUTER_ALLOWANCES): Budget => {
  const remaining = { bytes: allowances.bytes.burst, elements: allowances.elements.burst, milliseconds: allowances.milliseconds.burst };
  const resources = Object.keys(remaining) as readonly SpentResource[]; // the keys of `remaining`
  let refilledAt = monotonic(clock);

  const refill = (): void => {
    const now = monotonic(clock);
    const seconds = Math.max(0, now - refilledAt) / 1000;
    refilledAt = now;
    for (const resource of resources)
      remaining[resource] = Math.min(allowances[resource].burst, remaining[resource] + seconds * allowances[resource].perSecond);
  };
  const spend: Budget['spend'] = (spent) => {
    refill();
    for (const resource of resources) {
      remaining[resource] -= spent[resource] ?? 0;
      if (remaining[resource] >= 0) continue;
      const { burst, perSecond } = allowances[resource];
      throw new OverBudget(`it exceeded its budget of ${burst} ${resource} at once, and ${perSecond} in each second after that`);
    }
  };
  return {
    spend,
    run: async (work) => {
      const yieldAfterBatch = createTimeSlice(ELEMENT_BATCH);
      for (;;) {
        const began = monotonic(clock);
        let elements = 0;
        let step = work.next();
        while (!step.done && (elements += step.value) < ELEMENTS_PER_MEASUREMENT) step = work.next();
        spend({ elements, milliseconds: monotonic(clock) - began });
        if (step.done) return step.value;
        await yieldAfterBatch(elements);
      }
    },
    isFull: () => {
      refill();
      return resources.every((resource) => remaining[resource] >= allowances[resource].burst);
    },
  };
};
