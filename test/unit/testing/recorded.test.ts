import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedEvent } from '../../../src/index.ts';
import { testNetwork } from '../../../testing/index.ts';

test('a network records its changes, calls, logins and denials', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  network.recorded.clear();
  const session = await ann.login();
  await assert.rejects(session.identities.list(), { code: 'UNAUTHORIZED' });
  await network.controller.api.identities.patch({ id: ann.id, body: { name: 'anna' } }, { actor: 'sso:123', reason: 'a wedding' });
  const { changes, observed } = network.recorded;
  assert.deepEqual(
    changes.map(({ action, entity, actor, reason }) => [action, entity, actor, reason]),
    [
      ['create', 'apiSession', 'anonymous', null],
      ['update', 'identity', 'sso:123', 'a wedding'],
    ],
  );
  const told = observed.map((event) => (event.type === 'operation' ? [event.operationId, event.status] : [event.type, event.outcome]));
  assert.deepEqual(told, [
    ['authentication', 'succeeded'],
    ['authenticate', 200],
    ['authorization', 'denied'],
    ['listIdentities', 401],
    ['patchIdentity', 200],
  ]);
});

test('observers of a test hear what is recorded', async () => {
  const [one, two]: [ObservedEvent[], ObservedEvent[]] = [[], []];
  await using network = await testNetwork({ observe: [(event) => one.push(event), (event) => two.push(event)] });
  await network.service('crm');
  assert.deepEqual([one, two], [network.recorded.observed, network.recorded.observed]);
  await using other = await testNetwork({ observe: (event) => two.push(event) });
  await other.service('crm');
  assert.equal(two.length, 2);
});

test('an administrator logs in, and does what others may not', async () => {
  await using network = await testNetwork();
  const asRoot = await (await network.administrator('root')).login();
  const { id } = await asRoot.services.create({ body: { name: 'crm', encryptionRequired: true } });
  assert.ok(id);
  const change = network.recorded.changes.find(({ entity }) => entity === 'service');
  assert.equal(change?.actor, asRoot.identityId);
});

test('a network that continues in the same store is the same network', async () => {
  const { memoryStorage } = await import('../../../adapters/storage/memory/index.ts');
  const storage = memoryStorage();
  const before = await testNetwork({ storage });
  const lift = await before.device('lift 7');
  await before.close();
  await using network = await testNetwork({ storage, clock: before.clock });
  assert.equal((await network.controller.api.identities.get({ id: lift.id })).name, 'lift 7');
});
