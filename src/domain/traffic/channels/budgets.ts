import { type Budget, createBudget } from '../../../control-channel/budget.ts';
import type { Clock } from '../../../platform/platform.ts';

/** What each router may spend: its budget lasts longer than its connection. @returns that of a router */
export const createRouterBudgets = (clock: Clock): ((routerId: string) => Budget) => {
  const byRouter = new Map<string, Budget>();
  return (routerId) => {
    // One that is whole is as good as a new one.
    for (const [id, budget] of byRouter) {
      if (!budget.isWhole()) break;
      byRouter.delete(id);
    }
    const budget = byRouter.get(routerId) ?? createBudget(clock);
    byRouter.set(routerId, budget);
    return budget;
  };
};
