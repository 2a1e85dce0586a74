import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportText } from '../../adopt/command/report-text.ts';
import { adoptSeeds, FORMER_ADMIN, openAdopted } from '../support/adopted.ts';

test('a plan and the report of an adoption name the administrators', async () => {
  const seeds = {
    identities: [
      { id: 'ann', name: 'ann' },
      { id: 'bob', name: 'bob', isAdmin: true },
    ],
  };
  const expected = [
    { id: FORMER_ADMIN.id, name: FORMER_ADMIN.name, isDefaultAdmin: true },
    { id: 'bob', name: 'bob', isDefaultAdmin: false },
  ];
  const plan = await adoptSeeds({ identities: [FORMER_ADMIN, ...seeds.identities] }, { plan: true });
  assert.deepEqual([plan.administratorCount, plan.administrators], [2, expected]);
  assert.match(reportText(plan), /^administrators \(2\): Default Admin \(adm\.in-1\), the default one; bob \(bob\)$/m);
  await using adopted = await openAdopted('memory', seeds);
  assert.deepEqual(adopted.report.administrators, expected);
});

test('a network without an administrator is reported, too', async () => {
  const plan = await adoptSeeds({ identities: [{ id: 'ann', name: 'ann' }] }, { plan: true });
  assert.match(reportText(plan), /^administrators \(0\): none$/m);
});

test('of many administrators a hundred are named, and no name controls the terminal', async () => {
  const identities = Array.from({ length: 1000 }, (_, i) => ({
    id: `i${i}`,
    name: `\u001b[2J\u202e${'n'.repeat(5000)}${i}`,
    isAdmin: true,
  }));
  const plan = await adoptSeeds({ identities }, { plan: true });
  assert.deepEqual([plan.administratorCount, plan.administrators.length], [1000, 100]);
  const line =
    reportText(plan)
      .split('\n')
      .find((text) => text.startsWith('administrators')) ?? '';
  assert.match(line, /; and 900 more$/);
  assert.equal(line.length < 100_000, true);
  assert.doesNotMatch(line, /[\u001b\u202e]/);
});
