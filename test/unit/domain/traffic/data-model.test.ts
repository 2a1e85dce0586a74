import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Change } from '../../../../src/contract/changes/events.ts';
import type { DataEvent } from '../../../../src/fabric/control-channel/messages/data-model.ts';
import { DataModel } from '../../../../src/fabric/data-model/model.ts';
import { testNetwork } from '../../../../testing/index.ts';
import { countTurns } from '../../../support/turns.ts';

const NOW = '2026-11-21T10:00:00.000Z';
const IDENTITIES = 50_000;

/** Applies a change. @returns its events, the largest number of members in one, and the turns that others had in the meantime */
const applied = async (model: DataModel, change: Change) => {
  const events: DataEvent[] = [];
  using counted = countTurns();
  for await (const batch of model.apply(change, NOW)) events.push(...batch);
  const members = events.map(({ servicePolicyChange }) => servicePolicyChange?.relatedEntityIds?.length ?? 0);
  return { events, largest: Math.max(...members), members: members.reduce((sum, count) => sum + count, 0), turns: counted.turns };
};

describe('the data model of a large network', async () => {
  await using network = await testNetwork();
  const changes: Change[] = [];
  network.controller.events.on('change', (change) => void changes.push(change));
  const { api } = network.controller;
  await network.identity('ann', 'staff');
  const body = { name: 'p', type: 'Dial', semantic: 'AnyOf', serviceRoles: [] } as const;
  const { id } = await api.servicePolicies.create({ body: { ...body, identityRoles: ['#all'] } });
  await api.servicePolicies.patch({ id, body: { identityRoles: ['#staff'] } });
  await api.servicePolicies.patch({ id, body: { identityRoles: ['#nobody'] } });
  const [identity, ...rest] = changes.filter(({ entity }) => entity === 'identity' || entity === 'servicePolicy');
  const [created, narrowed, emptied] = rest.filter(({ entity }) => entity === 'servicePolicy');
  assert.ok(identity?.entity === 'identity' && identity.after && created && narrowed && emptied);

  const model = new DataModel();
  for (let i = 0; i < IDENTITIES; i++) {
    const after = { ...identity.after, id: `identity-${i}`, roleAttributes: i % 2 === 0 ? ['staff'] : ['staff', 'guests'] };
    for await (const _ of model.apply({ ...identity, after }, NOW));
  }

  for (const [what, change, members] of [
    ['a new policy of everyone', created, IDENTITIES],
    ['a policy that selects the same by an attribute', narrowed, 0],
    ['a policy that selects nobody any more', emptied, IDENTITIES],
  ] as const)
    test(`${what} lets others have their turns, and tells few members at a time`, async () => {
      const told = await applied(model, change);
      assert.equal(told.members, members);
      assert.ok(told.largest <= 4000, `${told.largest} members in one event`);
      assert.ok(told.turns >= 4, `${told.turns} turns`);
    });

  test('the full state is made in many turns, too', async () => {
    for await (const _ of model.apply(created, NOW));
    let [documents, members, largest] = [0, 0, 0];
    using counted = countTurns();
    for await (const batch of model.all(NOW))
      for (const { identity: document, servicePolicyChange } of batch) {
        if (document) documents++;
        const count = servicePolicyChange?.relatedEntityIds?.length ?? 0;
        [members, largest] = [members + count, Math.max(largest, count)];
      }
    assert.deepEqual([documents, members], [IDENTITIES, IDENTITIES]);
    assert.ok(largest <= 4000, `${largest} members in one event`);
    assert.ok(counted.turns >= IDENTITIES / 1000, `${counted.turns} turns`);
  });
});
