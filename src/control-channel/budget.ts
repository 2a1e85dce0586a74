import { createTimeSlice } from '../concurrency/event-loop.ts';
import { monotonic } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';

/** Resources that the other end of a channel spends: bytes, elements of its messages, and milliseconds of processor time. */
export type SpentResource = 'bytes' | 'elements' | 'milliseconds';

/** A token bucket (ATM Forum, Traffic Management 4.1, 4.4.2): its size, and the rate at which it fills. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * The allowances of a router: half of the main thread permanently, or all of it for two minutes. A router with 100,000 identities
 * and as many idle circuits spends some 700,000 elements and 20 MiB in five minutes.
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
  /** True if no part of it is currently spent. */
  isFull(): boolean;
}

/** Elements processed before yielding to the event loop: a few milliseconds of work. */
const ELEMENT_BATCH = 4000;
/** Elements between two measurements of time. */
const ELEMENTS_MEASURED = 500;

export const createBudget = (clock: Clock, allowances: Readonly<Record<SpentResource, Allowance>> = ROUTER_ALLOWANCES): Budget => {
  const left = { bytes: allowances.bytes.burst, elements: allowances.elements.burst, milliseconds: allowances.milliseconds.burst };
  const resources = Object.keys(left) as readonly SpentResource[]; // its keys
  let at = monotonic(clock);

  const refill = (): void => {
    const now = monotonic(clock);
    const seconds = Math.max(0, now - at) / 1000;
    at = now;
    for (const one of resources) left[one] = Math.min(allowances[one].burst, left[one] + seconds * allowances[one].perSecond);
  };
  const spend: Budget['spend'] = (spent) => {
    refill();
    for (const one of resources) {
      left[one] -= spent[one] ?? 0;
      if (left[one] >= 0) continue;
      const { burst, perSecond } = allowances[one];
      throw new OverBudget(`it asks for too much: more than ${burst} ${one} at once, and ${perSecond} in each second after that`);
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
        while (!step.done && (elements += step.value) < ELEMENTS_MEASURED) step = work.next();
        spend({ elements, milliseconds: monotonic(clock) - began });
        if (step.done) return step.value;
        await yieldAfterBatch(elements);
      }
    },
    isFull: () => {
      refill();
      return resources.every((one) => left[one] >= allowances[one].burst);
    },
  };
};
