import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RowBeforeAfter } from '../../src/access/report/groups.ts';
import { netChanges } from '../../src/access/report/net-changes.ts';
import { differenceOf, type PairDifference, positionOf } from '../../src/access/report/pairs.ts';
import { relatedStates, type Within } from '../../src/access/report/related-states.ts';
import { accessRelation, type PolicyRelation, routersOfIdentities, routersOfServices } from '../../src/access/report/relations.ts';
import type { Entities } from '../../src/store/entities/entities.ts';
import { accessMatrix, matrixDifference, routersOfIdentitiesMatrix, routersOfServicesMatrix } from '../support/access-matrix.ts';
import { onEveryStore } from '../support/app.ts';
import { indexedStore } from '../support/indexed-store.ts';
import { applyChange, type RandomChange, randomChanges } from '../support/random-changes.ts';

/** Sets of changes on each store, for a long run: `DIFFERENCE_RUNS=10000`. */
const RUNS = process.env.DIFFERENCE_RUNS;
const runsOn = (store: string) => ({ numRuns: Number(RUNS ?? (store === 'memory' ? 300 : 60)) });

const listed = async (pairs: AsyncIterable<PairDifference>): Promise<readonly PairDifference[]> => {
  const list: PairDifference[] = [];
  for await (const pair of pairs) list.push(pair);
  return list;
};

const idOf = ({ before, after }: RowBeforeAfter) => (after ?? before)?.id;
const lineOf = ({ effect, left, right, type }: PairDifference) => `${effect} ${idOf(left)} ${idOf(right)} ${type}`;

const relations = [
  ['access', accessRelation, accessMatrix],
  ['routers of identities', routersOfIdentities, routersOfIdentitiesMatrix],
  ['routers of services', routersOfServices, routersOfServicesMatrix],
] as const;

interface Options {
  readonly within?: Within;
  /** Entities on the left that are read even if there is an index. */
  readonly maxRead?: number;
  /** The position of the pair after which the list is continued. */
  readonly at: number;
}

/**
 * Applies changes, and asserts that what was compared is the difference of the two whole matrices.
 * @returns the number of relations whose left side was found in an index
 */
const assertDifference = async (entities: Entities, changes: readonly RandomChange[], { within, maxRead, at }: Options) => {
  const seen = async ({ left, right }: PolicyRelation) =>
    Promise.all([left, right].map((kind) => entities.list(kind, { where: { op: 'all' } })));
  const before = await Promise.all(
    relations.map(async ([, relation, matrixOf]) => [await matrixOf(entities), await seen(relation)] as const),
  );
  for (const change of changes) await applyChange(entities, change);
  let indexed = 0;
  for (const [i, [name, relation, matrixOf]] of relations.entries()) {
    const [matrixBefore, rowsBefore] = before[i] ?? assert.fail();
    const rows = [rowsBefore, await seen(relation)];
    const isHidden = (id: string, side: 'left' | 'right') =>
      rows.some((sides) => sides[side === 'left' ? 0 : 1]?.some((row) => row.id === id && within?.[side](row) === false));
    const expected = matrixDifference(matrixBefore, await matrixOf(entities)).filter((line) => {
      const [, left = '', right = ''] = line.split(' ');
      return !isHidden(left, 'left') && !isHidden(right, 'right');
    });
    const states = await relatedStates(entities, relation, netChanges(entities.changes), within, maxRead);
    const difference = await differenceOf(states);
    if (states.furtherLefts) {
      indexed++;
      const ofEveryone = states.policies.flatMap((policy, n) => (policy.before?.left.roles.includes('#all') ? [n] : []));
      for (const { before } of states.furtherLefts.groups)
        assert.ok(!before.some((n) => ofEveryone.includes(n)), 'a policy of everyone is common to all groups');
      const read = await differenceOf(await relatedStates(entities, relation, netChanges(entities.changes), within));
      assert.deepEqual(difference.counts, read.counts, name);
    }
    const pairs = await listed(difference.pairs());
    const lines = pairs.map(lineOf);
    assert.deepEqual([...lines].sort(), expected, name);
    assert.deepEqual(pairs.map(positionOf), pairs.map(positionOf).sort(), 'in order');
    const last = pairs[at % Math.max(pairs.length, 1)];
    if (last) assert.deepEqual((await listed(difference.pairs(positionOf(last)))).map(lineOf), lines.slice(pairs.indexOf(last) + 1));
    for (const { left, right, type, effect } of pairs)
      assert.equal(await difference.isLost(idOf(left) ?? '', idOf(right) ?? '', type), effect === 'lost');
    const count = (effect: string) => lines.filter((line) => line.startsWith(effect)).length;
    const { unchanged, ...counts } = difference.counts;
    assert.deepEqual(counts, { gained: count('gained'), lost: count('lost'), changed: count('changed') });
    if (!within) assert.equal(unchanged + counts.gained + counts.changed <= (await matrixOf(entities)).size, true);
  }
  return indexed;
};

const attributesIn = (row: Readonly<Record<string, unknown>>): readonly string[] => row.roleAttributes as readonly string[]; // both kinds of a relation have them
const position = fc.nat(20);

onEveryStore('the difference of access between two states', (open, store) => {
  test('is the whole matrix after less the whole matrix before, for random changes', async () => {
    await using app = await open();
    await fc.assert(
      fc.asyncProperty(randomChanges, position, (changes, at) =>
        app.inStore('write', async (entities) => void (await assertDifference(entities, changes, { at }))),
      ),
      runsOn(store),
    );
  });

  test('is the same where entities are found in an index instead of being read', async () => {
    await using indexed = await indexedStore(store);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(randomChanges, position, fc.constantFrom(0, 0, 0, 1, 4), async (changes, at, maxRead) => {
        found += await indexed.write((entities) => assertDifference(entities, changes, { at, maxRead }));
      }),
      runsOn(store),
    );
    assert.ok(found > runsOn(store).numRuns / 10, `the index was used ${found} times`);
  });

  test('lacks what a caller may not see in one of the states', async () => {
    await using indexed = await indexedStore(store);
    const hidden = fc.constantFrom('a', 'b', 'c', 'd');
    await fc.assert(
      fc.asyncProperty(randomChanges, position, hidden, hidden, async (changes, at, left, right) => {
        const within = {
          left: (row: object) => !attributesIn(row as Readonly<Record<string, unknown>>).includes(left),
          right: (row: object) => !attributesIn(row as Readonly<Record<string, unknown>>).includes(right),
        };
        await indexed.write((entities) => assertDifference(entities, changes, { within, at, maxRead: 0 }));
      }),
      runsOn(store),
    );
  });
});
