import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RowBeforeAfter } from '../../src/access/report/groups.ts';
import { netChanges } from '../../src/access/report/net-changes.ts';
import { differenceOf, type RelationDifference } from '../../src/access/report/pairs.ts';
import { relatedStates } from '../../src/access/report/related-states.ts';
import { accessRelation, routersOfIdentities, routersOfServices } from '../../src/access/report/relations.ts';
import { accessMatrix, matrixDifference, routersOfIdentitiesMatrix, routersOfServicesMatrix } from '../support/access-matrix.ts';
import { onEveryStore } from '../support/app.ts';
import { applyChange, randomChanges } from '../support/random-changes.ts';

/** Sets of changes on each store, for a long run: `DIFFERENCE_RUNS=10000`. */
const RUNS = process.env.DIFFERENCE_RUNS;

const idOf = ({ before, after }: RowBeforeAfter) => (after ?? before)?.id;
const linesOf = (difference: RelationDifference) =>
  [...difference.pairs()].map(({ effect, left, right, type }) => `${effect} ${idOf(left)} ${idOf(right)} ${type}`);

const relations = [
  ['access', accessRelation, accessMatrix],
  ['routers of identities', routersOfIdentities, routersOfIdentitiesMatrix],
  ['routers of services', routersOfServices, routersOfServicesMatrix],
] as const;

onEveryStore('the difference of access between two states', (open, store) => {
  test('is the whole matrix after less the whole matrix before, for random changes', async () => {
    await using app = await open();
    await fc.assert(
      fc.asyncProperty(randomChanges, (changes) =>
        app.inStore('write', async (entities) => {
          const before = await Promise.all(relations.map(([, , matrixOf]) => matrixOf(entities)));
          for (const change of changes) await applyChange(entities, change);
          for (const [at, [name, relation, matrixOf]] of relations.entries()) {
            const after = await matrixOf(entities);
            const difference = await differenceOf(await relatedStates(entities, relation, netChanges(entities.changes)));
            const lines = linesOf(difference);
            assert.deepEqual([...lines].sort(), matrixDifference(before[at] ?? new Map(), after), name);
            const count = (effect: string) => lines.filter((line) => line.startsWith(effect)).length;
            const { unchanged, ...counts } = difference.counts;
            assert.deepEqual(counts, { gained: count('gained'), lost: count('lost'), changed: count('changed') });
            assert.ok(unchanged <= after.size);
          }
        }),
      ),
      { numRuns: Number(RUNS ?? (store === 'memory' ? 300 : 60)) },
    );
  });
});
