import { stepCounter } from './counted-steps.ts';
import { turnCost } from './turn-cost.ts';

/** Measures work of which others must not wait for more than `most`. */
export interface Meter extends AsyncDisposable {
  readonly unit: 'steps' | 'ms';
  readonly most: number;
  /**
   * How often work is measured of which the least counts: its time contains code that is compiled and garbage of others that is collected.
   */
  readonly tries: number;
  of(work: () => Promise<unknown>): Promise<number>;
}

/** Milliseconds of processor time in one turn of the event loop. */
const MOST_MS = 60;

/** Counts steps, which are the same on every machine, or, in `npm run bench:input`, measures the processor time of the longest turn. */
export const openMeter = async (mostSteps: number): Promise<Meter> => {
  if (process.env.COST !== 'time') return { ...(await stepCounter()), unit: 'steps', most: mostSteps, tries: 1 };
  const of = async (work: () => Promise<unknown>): Promise<number> => {
    using cost = turnCost();
    await work();
    return cost.longest;
  };
  return { of, unit: 'ms', most: MOST_MS, tries: 8, async [Symbol.asyncDispose]() {} };
};
