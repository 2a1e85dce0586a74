import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Side, selectedBy, selecting, selects } from '../../../../../src/access/roles/membership.ts';
import { attributeIndex, withDerived } from '../../../../../src/contract/api/kit/derived.ts';
import { selectors } from '../../../../../src/contract/api/kit/roles.ts';
import { matches } from '../../../../../src/query/index.ts';
import { countTurns } from '../../../../support/turns.ts';

const side = (semantic: Side['semantic'], ...roles: string[]): Side => ({ semantic, roles });

describe('who is meant by role arrays', () => {
  test('many policies become one question: one list of ids, one of attributes, and what else AllOf asks', async () => {
    const asked = await selectedBy([
      side('AnyOf', '#a', '#b', '@1'),
      side('AllOf', '#c', '@2', '@1'),
      side('AllOf', '#d', '#e'),
      side('AllOf', '#d', '#e', '@3'),
      side('AllOf', '#a', '#z'),
      side('AnyOf'),
    ]);
    assert.deepEqual(asked, {
      op: 'or',
      terms: [
        { op: 'in', field: { path: ['id'], type: 'string' }, values: ['1', '2', '3'] },
        { op: 'overlaps', set: 'roleAttributes', values: ['a', 'b', 'c'] },
        { op: 'covers', set: 'roleAttributes', values: ['d', 'e'] },
      ],
    });
  });

  test('#all in one of them is everything, and no role at all is nobody', async () => {
    assert.deepEqual(await selectedBy([side('AllOf', '#a', '#b'), side('AllOf', '#all')]), { op: 'all' });
    assert.deepEqual(await selectedBy([side('AnyOf'), side('AllOf')]), { op: 'none' });
    assert.deepEqual(await selectedBy([]), { op: 'none' });
  });

  test('others have turns while the roles of many large policies become one question', async () => {
    const [policies, roles] = [20, 10_000];
    const sides = Array.from({ length: policies }, (_, p) => side('AnyOf', ...Array.from({ length: roles }, (_, n) => `@${p}-${n}`)));
    using others = countTurns();
    const asked = await selectedBy(sides);
    assert.equal(asked.op === 'in' && asked.values.length, policies * roles);
    assert.ok(others.turns >= policies, `${others.turns} turns`);
  });

  const entity = fc.record({
    id: fc.constantFrom('1', '2', '3'),
    roleAttributes: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'all', '1')),
  });
  const anySide = fc.record({
    semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
    roles: fc.oneof(fc.constant(['#all']), fc.uniqueArray(fc.constantFrom('#a', '#b', '#c', '#nobody', '#', '#1', '@1', '@2', '@a'))),
  });

  test('the three forms of the question have one answer', async () => {
    const fields = { memberRoles: selectors('member'), memberWords: attributeIndex('memberRoles') };
    await fc.assert(
      fc.asyncProperty(fc.array(anySide, { maxLength: 4 }), entity, async (sides, one) => {
        const expected = sides.map((each) => selects(each, one));
        assert.equal(matches(await selectedBy(sides), one), expected.includes(true));
        const policies = sides.map(({ semantic, roles }) => withDerived(fields, { semantic, memberRoles: roles }));
        assert.deepEqual(
          policies.map((policy) => matches(selecting('memberRoles', one), policy)),
          expected,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
