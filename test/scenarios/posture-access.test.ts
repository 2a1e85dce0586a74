import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideAccess } from '../../src/access/evaluation/decide.ts';
import { apiSession } from '../../src/contract/api/api-sessions.ts';
import { identity } from '../../src/contract/api/identities.ts';
import { service } from '../../src/contract/api/services.ts';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { checkOf, client } from '../support/posture.ts';
import { aService, domain, domainCheck, policyWith } from '../support/posture-access.ts';

onEveryStore('posture and access', (open) => {
  test(
    'failing checks take no permission and hide no service, but let nobody in unless another policy passes',
    proves(7, 11, 12, 13, 16, 245, 246, 435),
    async () => {
      await using app = await open();
      const user = await client(app);
      const wiki = await aService(app);
      await policyWith(app, 'strict', [await domainCheck(app, 'a', 'a.test')]);
      const may = async () => (await app.controller.api.access.explain({ identityId: user.id, serviceId: wiki, type: 'Dial' })).isAllowed;
      const { data } = (await user.get('/services')).body;
      assert.deepEqual([data.length, data[0].permissions], [1, ['Dial']]);
      assert.equal(await may(), false);
      assert.equal((await app.request('GET', '/current-identity', { as: await user.login() })).status, 200, 'who may not dial may log in');
      await user.tell(domain('a.test'));
      assert.equal(await may(), true);
      await user.tell(domain('elsewhere'));
      assert.equal(await may(), false);
      await policyWith(app, 'bind without checks', [], { type: 'Bind' });
      assert.equal(await may(), false);
      await policyWith(app, 'dial without checks', []);
      assert.equal(await may(), true);
    },
  );

  test('a policy that loses its last check passes, and one that changes its type keeps its checks', proves(13), async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const check = await domainCheck(app, 'a', 'a.test');
    const policy = await policyWith(app, 'p', [check]);
    await app.request('PATCH', `/service-policies/${policy}`, { body: { type: 'Bind' } });
    assert.deepEqual(await user.isPassing(wiki), [false]);
    await app.request('DELETE', `/posture-checks/${check}`);
    assert.deepEqual(await user.isPassing(wiki), [true]);
  });

  test('checks are attached by their attributes, with the semantic of the policy, as they are at the moment', proves(14), async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const id = await checkOf(app, 'a', { typeId: 'DOMAIN', domains: ['a'], roleAttributes: ['one'] });
    await policyWith(app, 'p', [], { semantic: 'AllOf', postureCheckRoles: ['#one', '#two'] });
    assert.deepEqual(await user.isPassing(wiki), [true]);
    await app.request('PATCH', `/posture-checks/${id}`, { body: { typeId: 'DOMAIN', roleAttributes: ['one', 'two'] } });
    assert.deepEqual(await user.isPassing(wiki), [false]);
    await app.request('PATCH', `/posture-checks/${id}`, { body: { typeId: 'DOMAIN', domains: ['b'] } });
    await user.tell(domain('b'));
    assert.deepEqual(await user.isPassing(wiki), [true]);
  });

  test('a decision on access shows why it is not granted, one service at a time or many', async () => {
    await using app = await open();
    const user = await client(app);
    const [wiki, closed] = [await aService(app), await aService(app, 'closed')];
    const check = await domainCheck(app, 'd', 'a.test');
    const policy = await policyWith(app, 'p', [check], { serviceRoles: [`@${wiki}`] });
    const decide = (serviceId: string, type: 'Dial' | 'Bind') =>
      app.inStore('read', async (entities) => {
        const session = await entities.require(apiSession, user.sessionId);
        const who = await entities.require(identity, user.id);
        const what = await entities.require(service, serviceId);
        const asker = { identity: who, session, now: new Date(app.clock.now()).toISOString() };
        const decision = await decideAccess(entities, asker, what, type);
        const { isPermitted, isGranted, policies } = decision;
        return {
          isPermitted,
          isGranted,
          policies: policies.map(({ policy: { id }, checks }) => [
            id,
            checks.map(({ check, expectedValue, actualValue }) => [check.id, expectedValue, actualValue]),
          ]),
        };
      });
    const failing = [[policy, [[check, ['a.test'], '']]]];
    assert.deepEqual(await decide(wiki, 'Dial'), { isPermitted: true, isGranted: false, policies: failing });
    assert.deepEqual(await decide(wiki, 'Bind'), { isPermitted: false, isGranted: false, policies: [] });
    assert.deepEqual(await decide(closed, 'Dial'), { isPermitted: false, isGranted: false, policies: [] });
    await user.tell(domain('a.test'));
    assert.equal((await decide(wiki, 'Dial')).isGranted, true);
  });
});
