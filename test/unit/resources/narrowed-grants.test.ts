import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Grant, OWN_RIGHT } from '../../../src/call/grant.ts';
import { NOTHING, narrowedBy } from '../../../src/resources/granted.ts';

const limitedTo = (where: string): Grant => ({ ...OWN_RIGHT, isDelegated: true, right: 'service.update', where });

test('what parts of a call may do limits the whole by the filter of each, and beyond twenty filters to nothing', () => {
  const whole = (parts: number) =>
    Array.from({ length: parts }, (_, i) => limitedTo(`name = "s${i}"`)).reduce<Grant>((grant, part) => narrowedBy(grant, part), {
      ...OWN_RIGHT,
    });
  assert.equal(whole(20).visible.get('service')?.length, 20);
  for (const limits of [whole(21), narrowedBy(whole(25), limitedTo('name = "other"'))])
    for (const each of [limits.visible, limits.changeable]) assert.ok(each.get('service')?.includes(NOTHING));
  assert.deepEqual([whole(1).isDelegated, whole(1).visible.has('identity')], [true, false]);
  assert.equal(NOTHING, 'false', 'a filter that no entity satisfies');
});
