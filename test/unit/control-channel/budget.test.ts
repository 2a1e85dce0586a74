import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBudget, OverBudget, ROUTER_ALLOWANCES, type SpentResource } from '../../../src/fabric/control-channel/budget.ts';
import type { Clock } from '../../../src/index.ts';
import { frozenClock } from '../../support/clock.ts';
import { countTurns } from '../../support/turns.ts';

const plenty = { burst: 1e12, perSecond: 0 };
const allowances = { bytes: plenty, elements: plenty, milliseconds: plenty };
const resources = Object.keys(ROUTER_ALLOWANCES) as readonly SpentResource[];

describe('what a router may spend', () => {
  for (const resource of resources)
    test(`is bounded in ${resource}, and comes back with time, up to what it was`, () => {
      const clock = frozenClock();
      const budget = createBudget(clock, { ...allowances, [resource]: { burst: 100, perSecond: 10 } });
      budget.spend({ [resource]: 100 });
      assert.throws(() => budget.spend({ [resource]: 1 }), OverBudget);
      assert.throws(() => budget.spend({ [resource]: 0 }), new RegExp(`100 ${resource} at once, and 10 in each second`));
      assert.equal(budget.isFull(), false);
      clock.advance('5s');
      budget.spend({ [resource]: 49 });
      assert.throws(() => budget.spend({ [resource]: 1 }), OverBudget);
      clock.advance('1h');
      assert.equal(budget.isFull(), true);
      budget.spend({ [resource]: 100 });
      assert.throws(() => budget.spend({ [resource]: 1 }), OverBudget);
    });

  test('long work spends its elements and the time that it takes, and others have turns', async () => {
    let now = 0;
    const clock: Clock = { now: () => 0, monotonic: () => now };
    const budget = createBudget(clock, {
      ...allowances,
      elements: { burst: 100_000, perSecond: 0 },
      milliseconds: { burst: 10_000, perSecond: 0 },
    });
    function* work(steps: number, milliseconds: number) {
      for (let i = 0; i < steps; i++) {
        now += milliseconds;
        yield 1;
      }
      return 'done';
    }
    using others = countTurns();
    assert.equal(await budget.run(work(50_000, 0)), 'done');
    assert.ok(others.turns >= 10, `${others.turns} turns`);
    await assert.rejects(budget.run(work(50_001, 0)), /its budget of 100000 elements/);
    const other = createBudget(clock, { ...allowances, milliseconds: { burst: 10_000, perSecond: 0 } });
    await assert.rejects(other.run(work(20_000, 1)), /its budget of 10000 milliseconds/);
  });

  test('what short work does is done at once', () => {
    let isDone = false;
    void createBudget(frozenClock()).run(
      (function* () {
        yield 1;
        isDone = true;
      })(),
    );
    assert.equal(isDone, true);
  });
});
