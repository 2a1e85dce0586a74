import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

onEveryStore('deleting identities', (open) => {
  test('deleting an identity removes its authenticators and sessions, at once', proves(289, 292, 327), async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const { status, body } = await app.request('DELETE', `/identities/${user.id}`);
    assert.deepEqual([status, body.data], [200, {}]);
    assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
    assertRefused(await app.request('GET', `/identities/${user.id}`), 404, 'NOT_FOUND');
    assertRefused(await app.request('GET', `/authenticators/${user.authenticatorId}`), 404, 'NOT_FOUND');
    assertRefused(await app.login(user.username, 'Passw0rd!Passw0rd!'), 401, 'INVALID_AUTH');
    for (const kind of ['apiSession', 'authenticator', 'identity'] as const) assert.equal((await app.rows(kind)).length, 1, kind);
  });

  test('each thing that goes leaves its change record', proves(289), async () => {
    await using app = await open();
    const user = await app.user();
    await user.login();
    await user.login();
    const left = await app.trail(() => app.request('DELETE', `/identities/${user.id}`));
    assert.deepEqual([...left].sort(), ['delete apiSession', 'delete apiSession', 'delete authenticator', 'delete identity']);
  });

  test('the username, the name and the externalId of a deleted identity are free at once', async () => {
    await using app = await open();
    const user = await app.user({ externalId: 'ext' });
    await app.request('DELETE', `/identities/${user.id}`);
    const id = await app.create('/identities', { name: user.username, type: 'User', isAdmin: false, externalId: 'ext' });
    await app.create('/authenticators', { identityId: id, method: 'updb', username: user.username, password: 'another password' });
    assert.equal((await app.login(user.username, 'another password')).status, 200);
  });

  test('the role attributes of a deleted identity are no longer in use, unless another has them', proves(290), async () => {
    await using app = await open();
    const id = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['sales', 'london'] });
    await app.create('/identities', { name: 'bob', type: 'User', isAdmin: false, roleAttributes: ['sales'] });
    assert.deepEqual((await app.request('GET', '/identity-role-attributes')).body.data, ['london', 'sales']);
    await app.request('DELETE', `/identities/${id}`);
    assert.deepEqual((await app.request('GET', '/identity-role-attributes')).body.data, ['sales']);
  });

  test('what can be used by others stays: policies, config types, configs, services', proves(293), async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
    const configTypeId = await app.create('/config-types', { name: 'a type' });
    const configId = await app.create('/configs', { name: 'a config', configTypeId, data: { a: 1 } });
    const user = await app.user({ authPolicyId });
    const net = network(app);
    const service = await net.service('web');
    const policy = await net.dial({ identities: [`@${user.id}`], services: [`@${service}`] });
    await app.request('DELETE', `/identities/${user.id}`);
    for (const path of [
      `/auth-policies/${authPolicyId}`,
      `/config-types/${configTypeId}`,
      `/configs/${configId}`,
      `/services/${service}`,
      `/service-policies/${policy}`,
    ]) {
      assert.equal((await app.request('GET', path)).status, 200, path);
    }
  });

  test('an administrator may delete itself', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const as = await user.login();
    assert.equal((await app.request('DELETE', `/identities/${user.id}`, { as })).status, 200);
    assertRefused(await app.request('GET', `/identities/${user.id}`, { as }), 401, 'UNAUTHORIZED');
  });
});
