import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';

/** S1 carries a, S2 a and b, S3 b and c; I is the identity of the policies. */
const three = async (app: App) => {
  const net = network(app);
  const i = await net.identity('I');
  const [s1, s2, s3] = [await net.service('S1', 'a'), await net.service('S2', 'a', 'b'), await net.service('S3', 'b', 'c')];
  const me = [`@${i}`];
  return { net, i, s1, s2, s3, me };
};

interface Selection {
  readonly semantic?: 'AllOf' | 'AnyOf';
  readonly identities?: readonly string[];
  readonly services?: readonly string[];
}

/** Of each policy, what it says, and what I may dial by it. `@me`, `@S1`, `@S2` and `@S3` are the ids of these. */
const selections: readonly (readonly [
  behaviour: string,
  proven: object,
  ...grants: readonly (readonly [Selection, readonly string[]])[],
])[] = [
  [
    'AllOf asks for every attribute',
    proves(30),
    [{ semantic: 'AllOf', services: ['#a', '#c'] }, []],
    [{ semantic: 'AllOf', services: ['#a', '#b'] }, ['S2']],
  ],
  ['AnyOf asks for one attribute', proves(15, 30), [{ services: ['#a', '#c'] }, ['S1', 'S2', 'S3']]],
  [
    'ids are added to what attributes select, whatever the semantic',
    proves(34),
    [{ semantic: 'AllOf', services: ['@S3', '#a', '#b'] }, ['S2', 'S3']],
  ],
  ['AllOf of ids alone selects each of them', {}, [{ semantic: 'AllOf', services: ['@S1', '@S3'] }, ['S1', 'S3']]],
  [
    'an id stays selected beside attributes that nobody has together',
    {},
    [{ semantic: 'AllOf', services: ['@S1', '#c', '#nobody'] }, ['S1']],
  ],
  ['the attribute "all" is nothing special', proves(34), [{ services: ['#x'] }, []], [{ identities: ['#all'], services: ['#c'] }, ['S3']]],
  [
    '# alone is the attribute that nobody can carry',
    proves(34),
    [{ semantic: 'AllOf', services: ['#'] }, []],
    [{ semantic: 'AnyOf', identities: ['#'], services: ['#all'] }, []],
  ],
];

onEveryStore('who is meant by role arrays', (open) => {
  for (const [behaviour, proven, ...grants] of selections)
    test(behaviour, proven, async () => {
      await using app = await open();
      const { net, i, s1, s2, s3 } = await three(app);
      await net.service('S4', 'all');
      const ids: Readonly<Record<string, string>> = { '@me': i, '@S1': s1, '@S2': s2, '@S3': s3 };
      const named = (roles: readonly string[] = []) => roles.map((role) => (ids[role] ? `@${ids[role]}` : role));
      for (const [{ semantic, identities = ['@me'], services }, expected] of grants) {
        const policy = await net.dial({ ...(semantic && { semantic }), identities: named(identities), services: named(services) });
        assert.deepEqual(await net.dials(i), expected);
        await app.request('DELETE', `/service-policies/${policy}`);
      }
    });

  test('attributes select routers of identities and of services in the same way', proves(30), async () => {
    await using app = await open();
    const { net, i, s1, me } = await three(app);
    for (const [name, ...attributes] of [['R1', 'a'], ['R2', 'a', 'b'], ['R3', 'b', 'c'], ['R4']] as const)
      await net.router(name, ...attributes);
    const selected = {
      '#a #c, AnyOf': ['R1', 'R2', 'R3'],
      '#a #b, AllOf': ['R2'],
      '#a #c, AllOf': [],
      '#all, AllOf': ['R1', 'R2', 'R3', 'R4'],
    };
    for (const [about, expected] of Object.entries(selected)) {
      const [roles = '', semantic] = about.split(', ') as [string, 'AnyOf' | 'AllOf'];
      const routers = roles.split(' ');
      const ofIdentities = await net.routersOfIdentities({ semantic, identities: me, routers });
      const ofServices = await net.routersOfServices({ semantic, services: [`@${s1}`], routers });
      assert.deepEqual(await net.names(`/identities/${i}/edge-routers`), expected, about);
      assert.deepEqual(await net.names(`/services/${s1}/edge-routers`), expected, about);
      assert.deepEqual(await net.names(`/edge-router-policies/${ofIdentities}/edge-routers`), expected, about);
      assert.deepEqual(await net.names(`/service-edge-router-policies/${ofServices}/edge-routers`), expected, about);
      await app.request('DELETE', `/edge-router-policies/${ofIdentities}`);
      await app.request('DELETE', `/service-edge-router-policies/${ofServices}`);
    }
  });

  test('a policy without service roles grants nothing, and still shows its identities', async () => {
    await using app = await open();
    const { net, i, me } = await three(app);
    const policy = await net.dial({ semantic: 'AllOf', identities: me, services: [] });
    assert.deepEqual(await net.dials(i), []);
    assert.deepEqual(await net.names(`/service-policies/${policy}/identities`), ['I']);
    assert.deepEqual(await net.names(`/service-policies/${policy}/services`), []);
  });

  test('a policy without identity roles grants nothing, and still shows its services', async () => {
    await using app = await open();
    const { net, i } = await three(app);
    const policy = await net.dial({ services: ['#b'] });
    assert.deepEqual(await net.dials(i), []);
    assert.deepEqual(await net.names(`/service-policies/${policy}/identities`), []);
    assert.deepEqual(await net.names(`/service-policies/${policy}/services`), ['S2', 'S3']);
  });

  test('#all selects what exists and, at once, what comes later, attributes or none', async () => {
    await using app = await open();
    const { net, i } = await three(app);
    await net.dial({ semantic: 'AllOf', identities: ['#all'], services: ['#all'] });
    assert.deepEqual(await net.dials(i), ['S1', 'S2', 'S3']);
    await net.service('S4');
    assert.deepEqual(await net.dials(await net.identity('new', 'odd')), ['S1', 'S2', 'S3', 'S4']);
  });

  test('attributes are compared exactly, by case too', async () => {
    await using app = await open();
    const net = network(app);
    const i = await net.identity('I', 'Admin');
    await net.service('S', 's');
    await net.dial({ identities: ['#admin'], services: ['#s'] });
    assert.deepEqual(await net.dials(i), []);
  });

  test('of two policies over one pair one is enough', async () => {
    await using app = await open();
    const { net, i, s1, me } = await three(app);
    const one = await net.dial({ identities: me, services: [`@${s1}`] });
    await net.dial({ identities: me, services: ['#a'] });
    await app.request('DELETE', `/service-policies/${one}`);
    assert.deepEqual(await net.dials(i), ['S1', 'S2']);
  });

  test('dial and bind are rights of their own', proves(3, 192), async () => {
    await using app = await open();
    const net = network(app);
    const user = await app.user({ roleAttributes: ['u'] });
    const s = await net.service('S', 's');
    const as = await user.login();
    const permissions = async () => (await app.request('GET', `/edge/client/v1/services/${s}`, { as })).body.data.permissions;
    for (const [grant, revoke, left, lists] of [
      [net.bind, net.dial, ['Bind'], [[], ['S']]],
      [net.dial, net.bind, ['Dial'], [['S'], []]],
    ] as const) {
      const roles = { identities: ['#u'], services: ['#s'] };
      const [kept, revoked] = [await grant(roles), await revoke(roles)];
      assert.deepEqual(await permissions(), ['Bind', 'Dial']);
      await app.request('DELETE', `/service-policies/${revoked}`);
      assert.deepEqual(await permissions(), left);
      assert.deepEqual([await net.dials(user.id), await net.binds(user.id)], lists);
      await app.request('DELETE', `/service-policies/${kept}`);
    }
  });

  test('who is selected by id and by attribute loses the right with the last of both', async () => {
    await using app = await open();
    const net = network(app);
    const i = await net.identity('I', 'x');
    await net.service('S', 's');
    const policy = await net.dial({ identities: [`@${i}`, '#x'], services: ['#s'] });
    await net.patch(`/identities/${i}`, { roleAttributes: [] });
    assert.deepEqual(await net.dials(i), ['S']);
    await net.patch(`/service-policies/${policy}`, { identityRoles: ['#x'] });
    assert.deepEqual(await net.dials(i), []);
  });

  test('a change of the semantic alone changes who is meant', proves(32), async () => {
    await using app = await open();
    const { net, i, me } = await three(app);
    const policy = await net.dial({ semantic: 'AnyOf', identities: me, services: ['#a', '#b'] });
    assert.deepEqual(await net.dials(i), ['S1', 'S2', 'S3']);
    await net.patch(`/service-policies/${policy}`, { semantic: 'AllOf' });
    assert.deepEqual(await net.dials(i), ['S2']);
  });

  test('a change of the type changes the right', proves(186), async () => {
    await using app = await open();
    const { net, i, me } = await three(app);
    const policy = await net.dial({ identities: me, services: ['#c'] });
    await net.patch(`/service-policies/${policy}`, { type: 'Bind' });
    assert.deepEqual([await net.dials(i), await net.binds(i)], [[], ['S3']]);
  });

  test('what is deleted leaves the roles and their display, and the other entries stay', proves(31, 292, 293), async () => {
    await using app = await open();
    const { net, i, s1, me } = await three(app);
    const policy = await net.dial({ identities: me, services: [`@${s1}`, '#c'] });
    await app.request('DELETE', `/services/${s1}`);
    await app.request('DELETE', `/identities/${i}`);
    const { serviceRoles, serviceRolesDisplay, identityRoles, identityRolesDisplay } = (
      await app.request('GET', `/service-policies/${policy}`)
    ).body.data;
    assert.deepEqual([serviceRoles, serviceRolesDisplay], [['#c'], [{ role: '#c', name: '#c' }]]);
    assert.deepEqual([identityRoles, identityRolesDisplay], [null, []]);
    assert.deepEqual(await net.names(`/service-policies/${policy}/identities`), []);
  });

  test('a change of attributes is felt at once, and a rename changes nothing', async () => {
    await using app = await open();
    const { net, i, s1, me } = await three(app);
    await net.dial({ semantic: 'AllOf', identities: me, services: ['#a', '#b'] });
    await net.patch(`/services/${s1}`, { roleAttributes: ['a', 'b', 'c'] });
    assert.deepEqual(await net.dials(i), ['S1', 'S2']);
    await net.patch(`/services/${s1}`, { name: 'S0' });
    await net.patch(`/identities/${i}`, { name: 'me' });
    assert.deepEqual(await net.dials(i), ['S0', 'S2']);
  });
});
