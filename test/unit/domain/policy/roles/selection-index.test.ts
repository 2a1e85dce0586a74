import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccessPolicy, evaluatePermissions, permissionsAmong } from '../../../../../src/access/evaluation/evaluate.ts';
import { type Side, selects } from '../../../../../src/access/roles/membership.ts';
import { indexEntities, selectingEach } from '../../../../../src/access/roles/selection-index.ts';

const attribute = fc.constantFrom('a', 'b', 'c', 'all', '1');
const entities = fc.array(fc.record({ id: fc.constantFrom('1', '2', '3', 'a'), roleAttributes: fc.array(attribute, { maxLength: 4 }) }), {
  maxLength: 6,
});
const semantic = fc.constantFrom('AllOf' as const, 'AnyOf' as const);
const roles = fc.oneof(
  fc.constant(['#all']),
  fc.array(fc.constantFrom('#a', '#b', '#c', '#nobody', '#', '#1', '@1', '@2', '@a', '#all'), { maxLength: 5 }),
);
const sides = fc.array(fc.record({ semantic, roles }), { maxLength: 6 });

test('the sides that select each of many entities are those that select it alone, in their order', () =>
  fc.assert(
    fc.asyncProperty(entities, sides, async (all, many) => {
      const selecting = await selectingEach(all, many, (side: Side) => side);
      for (const one of all)
        assert.deepEqual(
          selecting.get(one),
          many.filter((side) => selects(side, one)),
        );
    }),
    { numRuns: 2000 },
  ));

test('entities with the same attributes share one list of the sides that select them, unless a side names one', async () => {
  const [first, second, named] = ['1', '2', '3'].map((id) => ({ id, roleAttributes: ['a'] }));
  assert.ok(first && second && named);
  const both: readonly Side[] = [
    { semantic: 'AnyOf', roles: ['#a'] },
    { semantic: 'AnyOf', roles: ['@3'] },
  ];
  const selecting = await selectingEach([first, second, named], both, (side) => side);
  assert.equal(selecting.get(first), selecting.get(second));
  assert.deepEqual(selecting.get(first), both.slice(0, 1));
  assert.deepEqual(selecting.get(named), both);
});

test('the entities that a side selects are those that it selects one by one, in their order', () =>
  fc.assert(
    fc.property(entities, sides, (all, many) => {
      const selected = indexEntities(all);
      for (const side of many)
        assert.deepEqual(
          selected(side),
          all.filter((one) => selects(side, one)),
        );
    }),
    { numRuns: 2000 },
  ));

test('permissions of many pairs are those of each pair', () => {
  const policy: fc.Arbitrary<AccessPolicy> = fc.record({
    id: fc.uuid(),
    type: fc.constantFrom('Dial' as const, 'Bind' as const),
    semantic,
    identityRoles: roles,
    serviceRoles: roles,
    postureCheckRoles: fc.constant([]),
  });
  return fc.assert(
    fc.asyncProperty(fc.array(policy, { maxLength: 5 }), entities, entities, async (policies, identities, services) => {
      const permissions = await permissionsAmong(policies, identities, services);
      for (const identity of identities)
        for (const service of services) assert.deepEqual(permissions(identity, service), evaluatePermissions(policies, identity, service));
    }),
    { numRuns: 1000 },
  );
});
