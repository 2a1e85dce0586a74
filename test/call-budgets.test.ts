import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Path } from '../bench/revisions/measured.ts';

/**
 * What one warm call may cost, in figures that hardly depend on the machine: files and functions of `src/` and `adapters/` that run,
 * statements of the store, and KiB on the heap, without the optimizing compilers. Lower a figure when a call needs less.
 * `npm run bench:revisions -- COMMIT` compares two commits, with their times.
 */
const BUDGETS: Readonly<Record<string, Readonly<Record<keyof Path, number>>>> = {
  'GET /version': { files: 28, functions: 89, statements: 0, allocated: 15.5 },
  'identity by id': { files: 57, functions: 212, statements: 1, allocated: 43 },
  'PATCH tags': { files: 92, functions: 386, statements: 6, allocated: 145 },
};
/** By how much allocations may exceed their budget: they depend a little on what runs in the background, and on the release of Node. */
const TOLERANCE = 1.1;
const SIZE = { identities: 20, services: 5, policies: 5 };

describe('a warm call of a controller on memory', () => {
  const root = join(import.meta.dirname, '..');
  const child = fork(join(root, 'bench/revisions/measured.ts'), [root, 'memory', JSON.stringify(SIZE)], {
    execArgv: [
      '--expose-gc',
      '--no-opt',
      '--no-maglev',
      '--min-semi-space-size=64',
      '--max-semi-space-size=64',
      '--disable-warning=ExperimentalWarning',
    ],
  });
  const ready = once(child, 'message');
  after(() => child.kill());

  for (const [operation, budget] of Object.entries(BUDGETS))
    test(`stays within its budgets: ${operation}`, async () => {
      await ready;
      child.send({ type: 'path', operation });
      const [{ allocated, ...counts }] = (await once(child, 'message')) as [Path];
      const figures: Path = { ...counts, allocated: Math.round(allocated / 102.4) / 10 };
      const allowed = { ...budget, allocated: budget.allocated * TOLERANCE };
      const names = Object.keys(budget) as (keyof Path)[]; // a budget has the keys of its type
      const exceeded = names.filter((name) => figures[name] > allowed[name]);
      assert.deepEqual(exceeded, [], `${operation} took ${JSON.stringify(figures)}, its budget is ${JSON.stringify(budget)}`);
    });
});
