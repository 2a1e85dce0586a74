/** The holder of a scoped permission must not learn by another of its rights what lies outside of the scope. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';

const TEAM = { roleAttributes: ['team-a'] };

const ground = async (app: App) => {
  const person = (name: string, team: string) => app.create('/identities', { name, type: 'User', isAdmin: false, roleAttributes: [team] });
  const service = (name: string, team: string) => app.create('/services', { name, encryptionRequired: true, roleAttributes: [team] });
  return {
    inside: await person('inside', 'team-a'),
    outside: await person('outside', 'team-b'),
    near: await service('near', 'team-a'),
    far: await service('far', 'team-b'),
  };
};

onEveryStore('what lies outside of a scope', (open) => {
  test('is not found by policy advice, which takes a right to services', async () => {
    await using app = await open();
    const { inside, outside, near, far } = await ground(app);
    const advice = async (as: string, id: string, serviceId: string) =>
      (await app.request('GET', `/identities/${id}/policy-advice/${serviceId}`, { as })).status;
    const onIdentities = await (await app.user({ permissions: ['service.read'], scopedPermissions: { 'identity.update': TEAM } })).login();
    assert.deepEqual([await advice(onIdentities, inside, far), await advice(onIdentities, outside, far)], [200, 404]);
    // Without a scope on identities, the right to services is enough.
    const onServices = await (await app.user({ permissions: ['service.read'] })).login();
    assert.deepEqual([await advice(onServices, inside, near), await advice(onServices, outside, far)], [200, 200]);
  });

  test('is not counted or recognized by filters on what policies select', async () => {
    await using app = await open();
    const { inside, outside, near, far } = await ground(app);
    const policy = (name: string, identities: string, services: string) =>
      app.create('/service-policies', {
        name,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [identities],
        serviceRoles: [services],
      });
    await policy('ours', '#team-a', '#team-a');
    await policy('theirs', '#team-b', '#team-b');
    const scopedPermissions = { 'identity.read': TEAM, 'service.read': TEAM };
    const token = await (await app.user({ permissions: ['service-policy.read'], scopedPermissions })).login();
    const found = async (filter: string) => {
      const { data } = (await app.request('GET', `/service-policies?sort=name&filter=${encodeURIComponent(filter)}`, { as: token })).body;
      return data.map(({ name }: { name: string }) => name).join();
    };
    assert.equal(await found('count(identities) >= 1'), 'ours');
    assert.equal(await found('isEmpty(identities)'), 'theirs');
    assert.equal(await found('count(services) = 0'), 'theirs');
    assert.equal(await found(`anyOf(identities) in ["${inside}", "${outside}"]`), 'ours');
    assert.equal(await found(`anyOf(services) = "${far}" or anyOf(services) = "${near}"`), 'ours');
    assert.equal(await found(`anyOf(identities) != "${inside}"`), '');
    assert.equal(await found('isEmpty(from identities where name = "outside")'), 'ours,theirs');
  });
});
