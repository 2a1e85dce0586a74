/** The holder of a scoped permission must not learn by another of its rights what lies outside of the scope. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { network } from '../support/network.ts';
import { until } from '../support/until.ts';

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

  test('is not named by advice, explanations, service configs and failed requests', async () => {
    await using app = await open();
    const net = network(app);
    const near = await net.service('near-service', 'team-a', 'all');
    const far = await net.service('far-service', 'team-b', 'all');
    for (const [name, team] of [
      ['near-router', 'team-a'],
      ['far-router', 'team-b'],
    ] as const)
      await app.alter('router', await net.router(name, team, 'all'), { isVerified: true, fingerprint: name });
    for (const [name, team] of [
      ['near-check', 'team-a'],
      ['far-check', 'team-b'],
    ] as const)
      await app.create('/posture-checks', { name, typeId: 'DOMAIN', domains: ['a.example'], roleAttributes: [team, 'all'] });
    await net.dial({ identities: ['#all'], services: ['#all'], checks: ['#all'] });
    await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
    await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
    const config = await app.create('/configs', { name: 'c', configTypeId: await app.create('/config-types', { name: 't' }), data: {} });
    const { id, username } = await app.user({ roleAttributes: ['all'] });
    const pairs = [near, far].map((serviceId) => ({ serviceId, configId: config }));
    await app.request('POST', `/identities/${id}/service-configs`, { body: pairs });
    const login = { as: null, body: { username, password: PASSWORD } };
    const { token } = (await app.request('POST', '/edge/client/v1/authenticate?method=password', login)).body.data;
    for (const serviceId of [near, far])
      await app.request('POST', '/edge/client/v1/sessions', { as: token, body: { serviceId, type: 'Dial' } });
    const scopedPermissions = { 'service.read': TEAM, 'router.read': TEAM, 'posture-check.read': TEAM };
    const scoped = await (await app.user({ permissions: ['identity.read'], scopedPermissions })).login();
    const ofAll = await (await app.user({ permissions: ['identity.read', 'service.read'] })).login();
    const advisor = await (await app.user({ permissions: ['service.read'], scopedPermissions })).login();
    const readAll = ['identity.read', 'service.read', 'service-policy.read', 'router.read', 'posture-check.read'];
    const reader = await (await app.user({ permissions: readAll })).login();
    const policies = { permissions: ['identity.read', 'service-policy.read'], scopedPermissions };
    const explainer = await (await app.user(policies)).login();
    const explain = `/edge/management/extensions/v1/identities/${id}/services/${near}/explain`;
    const advice = `/identities/${id}/policy-advice/${near}`;
    for (const [path, hidden, as, wide = ofAll] of [
      [`/identities/${id}/service-configs`, ['far-service'], scoped],
      [`/identities/${id}/failed-service-requests`, ['far-service', 'far-check'], scoped],
      [explain, ['far-router', 'far-check'], explainer, reader],
      [advice, ['far-router'], advisor],
    ] as const) {
      const { status, text } = await app.request('GET', path, { as });
      assert.equal(status, 200, text);
      const whole = (await app.request('GET', path, { as: wide })).text;
      for (const name of hidden) {
        assert.ok(!text.includes(name), `${path} tells of ${name}: ${text}`);
        assert.ok(text.includes(name.replace('far', 'near')), `${path} hides ${name.replace('far', 'near')}`);
        assert.ok(whole.includes(name), `${path} hides ${name} without a scope`);
      }
    }
    assert.equal((await app.request('GET', advice, { as: advisor })).body.data.identityRouterCount, 1);
  });

  test('is neither named nor counted by events of the network', async () => {
    await using app = await open();
    const whole = await (await app.user({ permissions: ['ops.read'] })).login();
    const scoped = await (await app.user({ permissions: ['ops.read'], scopedPermissions: { 'identity.read': TEAM } })).login();
    const ending = new AbortController();
    const follow = (token: string) => {
      const received: unknown[] = [];
      const read = async () => {
        for await (const { namespace } of app.controller.as(token).networkEvents.follow({ signal: ending.signal }))
          received.push(namespace);
      };
      void read().catch(() => undefined);
      return received;
    };
    const [byWhole, byScoped] = [follow(whole), follow(scoped)];
    await until(() => byWhole.length === 1 && byScoped.length === 1);
    await ground(app);
    app.clock.advance('1s');
    await until(() => byWhole.includes('entityCount'));
    assert.deepEqual(byScoped, ['stream']);
    ending.abort();
    const asked = await app.request('GET', '/edge/management/extensions/v1/network-events?types=sdk', { as: scoped });
    assert.partialDeepStrictEqual(asked.body.error.cause, { field: 'types', reason: 'this caller may not follow events of the kind sdk' });
  });
});
