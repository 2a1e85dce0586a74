import type { StepBudget } from './limits.ts';

/** The indexes of two equal items, found in linear time; undefined if all differ. */
export const equalItems = (
  items: readonly unknown[],
  budget: StepBudget,
): { readonly first: number; readonly second: number } | undefined => {
  const indexes = new Map<string, number>();
  for (const [second, item] of items.entries()) {
    const text = canonical(item, budget);
    const first = indexes.get(text);
    if (first !== undefined) return { first, second };
    indexes.set(text, second);
  }
  return undefined;
};

/** Canonical JSON: equal values give equal texts, because properties are sorted. */
const canonical = (value: unknown, budget: StepBudget): string => {
  budget.spend(8);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, budget)).join()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .sort(byName)
      .map(([name, item]) => `${canonical(name, budget)}:${canonical(item, budget)}`)
      .join()}}`;
  if (typeof value !== 'string') return String(value);
  budget.spend(value.length >> 1);
  return JSON.stringify(value);
};

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);
