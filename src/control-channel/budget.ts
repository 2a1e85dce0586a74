import { createTurns } from '../concurrency/event-loop.ts';
import type { Clock } from '../platform/platform.ts';
import { monotonic } from '../platform/timers.ts';

/** What the other end of a channel spends: bytes that it sends, elements of its messages, and milliseconds of processor time that these cost. */
export type SpentResource = 'bytes' | 'elements' | 'milliseconds';

/** A token bucket (ATM Forum, Traffic Management 4.1, 4.4.2): what may be spent at once, and what comes back each second. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * What a router may spend. For good, it may use half of the thread on which everything runs, and all of it for two minutes. A router with 100,000 identities
 * and as many idle circuits spends some 700,000 elements and 20 MiB in five minutes.
 */
export const ROUTER_ALLOWANCES: Readonly<Record<SpentResource, Allowance>> = {
  bytes: { burst: 134_217_728, perSecond: 2_097_152 },
  elements: { burst: 2_000_000, perSecond: 20_000 },
  milliseconds: { burst: 60_000, perSecond: 500 },
};

/** The other end has spent more than it may: the channel ends. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** What one end may spend. */
export interface Budget {
  /** @throws OverBudget */
  spend(spent: Partial<Readonly<Record<SpentResource, number>>>): void;
  /**
   * Does long work step by step, with turns for others in between. What it takes is spent.
   * @param work yields how many elements each step was about
   * @throws OverBudget; what the work throws
   */
  run<T>(work: Generator<number, T>): Promise<T>;
  /** Whether all that was spent has come back. */
  isWhole(): boolean;
}

/** Elements that are worked on before others have a turn: some milliseconds. */
const ELEMENTS_AT_ONCE = 4000;
/** Elements after which the time is looked at. */
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
      const turn = createTurns(ELEMENTS_AT_ONCE);
      for (;;) {
        const began = monotonic(clock);
        let elements = 0;
        let step = work.next();
        while (!step.done && (elements += step.value) < ELEMENTS_MEASURED) step = work.next();
        spend({ elements, milliseconds: monotonic(clock) - began });
        if (step.done) return step.value;
        await turn(elements);
      }
    },
    isWhole: () => {
      refill();
      return resources.every((one) => left[one] >= allowances[one].burst);
    },
  };
};
