import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { explain } from '../support/explain.ts';
import { network } from '../support/network.ts';
import { anotherSession, checkOf, client } from '../support/posture.ts';
import { begin, dialGround } from '../support/sessions.ts';

onEveryStore('explaining access', (open) => {
  test('a grant names the policy and what in it selects the two', async () => {
    await using app = await open();
    const net = network(app);
    const ann = await net.identity('ann', 'sales', 'north');
    const wiki = await net.service('wiki', 'docs');
    const policyId = await net.dial({ semantic: 'AllOf', identities: ['#sales', '#north'], services: [`@${wiki}`] });
    await net.bind({ identities: ['#all'], services: ['#all'] });
    const { isAllowed, policies, suggestions, otherPolicies, morePolicies } = await explain(app, ann, wiki);
    assert.deepEqual([isAllowed, suggestions, otherPolicies, morePolicies], [true, [], 0, 0]);
    assert.deepEqual(
      policies.map(({ policy, semantic, isGranting, identity, service }) => ({ id: policy.id, semantic, isGranting, identity, service })),
      [
        {
          id: policyId,
          semantic: 'AllOf',
          isGranting: true,
          identity: {
            isSelected: true,
            selectors: [
              { selector: '#north', isMatching: true },
              { selector: '#sales', isMatching: true },
            ],
          },
          service: { isSelected: true, selectors: [{ selector: `@${wiki}`, isMatching: true }] },
        },
      ],
    );
  });

  test('a denial shows which attribute is missing, and the smallest change comes first', async () => {
    await using app = await open();
    const net = network(app);
    const ann = await net.identity('ann', 'sales');
    const wiki = await net.service('wiki', 'docs');
    await net.dial({ semantic: 'AllOf', identities: ['#sales', '#north', '#senior'], services: ['#docs'] });
    await net.dial({ semantic: 'AllOf', identities: ['#sales', '#north'], services: ['#docs'] });
    await net.dial({ identities: ['#nobody'], services: ['#nothing'] });
    const { isAllowed, policies, suggestions, otherPolicies } = await explain(app, ann, wiki);
    assert.deepEqual([isAllowed, policies.length, otherPolicies], [false, 2, 1]);
    assert.ok(policies.every(({ isGranting, identity, service }) => !isGranting && !identity.isSelected && service.isSelected));
    assert.deepEqual(
      suggestions.map(({ size }) => size),
      suggestions.map(({ size }) => size).toSorted((a, b) => a - b),
    );
    const byAttribute = suggestions.find(({ operationId }) => operationId === 'patchIdentity');
    assert.deepEqual(byAttribute?.body, { roleAttributes: ['sales', 'north'] });
  });

  test('five changes are suggested at most, a policy of their own among them', async () => {
    await using app = await open();
    const net = network(app);
    const [ann, wiki] = [await net.identity('ann', 'sales'), await net.service('wiki', 'docs')];
    for (let i = 0; i < 4; i++) {
      // Each gives two: the attribute that is missing, and the identity itself.
      await net.dial({ identities: [`#team-${i}`], services: ['#docs'] });
      const { suggestions } = await explain(app, ann, wiki);
      assert.equal(suggestions.length, Math.min(2 * (i + 1) + 1, 5));
      assert.equal(suggestions.filter(({ operationId }) => operationId === 'createServicePolicy').length, 1);
    }
  });

  test('dial and bind are explained apart, and routers in common are named', async () => {
    await using app = await open();
    const net = network(app);
    const ann = await net.identity('ann', 'sales');
    const wiki = await net.service('wiki', 'docs');
    const hub = await net.router('hub', 'core');
    await net.router('spoke', 'edge');
    await net.bind({ identities: ['#sales'], services: ['#docs'] });
    await net.routersOfIdentities({ identities: ['#sales'], routers: ['#all'] });
    await net.routersOfServices({ services: ['#docs'], routers: ['#core'] });
    const bind = await explain(app, ann, wiki, 'Bind');
    assert.deepEqual([bind.isAllowed, bind.identityRouterCount, bind.serviceRouterCount], [true, 2, 1]);
    assert.deepEqual(
      bind.commonRouters.map(({ id }) => id),
      [hub],
    );
    assert.equal((await explain(app, ann, wiki)).isAllowed, false);
  });

  test('a failing posture check is shown with what it expects and what was reported, and passing it is suggested first', async () => {
    await using app = await open();
    const net = network(app);
    const user = await client(app, { roleAttributes: ['sales'] });
    const wiki = await net.service('wiki', 'docs');
    const [domain, linux] = [
      await checkOf(app, 'company', { typeId: 'DOMAIN', domains: ['company.test'] }),
      await checkOf(app, 'linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] }),
    ];
    const checks = [`@${domain}`, `@${linux}`];
    await net.dial({ identities: ['#sales'], services: ['#docs'], checks });
    await net.dial({ identities: ['#nobody'], services: ['#docs'], checks });
    await user.tell([
      { typeId: 'DOMAIN', id: 'x', domain: 'home' },
      { typeId: 'OS', id: 'x', type: 'Linux', version: '5.4' },
    ]);
    const { isAllowed, isPermitted, policies, suggestions } = await explain(app, user.id, wiki);
    assert.deepEqual([isAllowed, isPermitted, policies.map(({ isGranting }) => isGranting)], [false, true, [false, false]]);
    const shown = policies[0]?.postureChecks.map(({ check, ...rest }) => ({ name: check.name, ...rest }));
    assert.deepEqual(
      shown?.toSorted((a, b) => (a.typeId < b.typeId ? -1 : 1)),
      [
        { name: 'company', typeId: 'DOMAIN', isPassing: false, expectedValue: ['company.test'], actualValue: 'home' },
        {
          name: 'linux',
          typeId: 'OS',
          isPassing: true,
          expectedValue: [{ type: 'Linux', versions: null }],
          actualValue: { type: 'Linux', version: '5.4' },
        },
      ],
    );
    // The other policy needs a role and the check as well: no single change, and so no suggestion.
    assert.deepEqual(
      suggestions.map(({ operationId, postureChecks }) => operationId ?? postureChecks?.map(({ id }) => id)),
      [[domain], 'createServicePolicy'],
    );
    await user.tell({ typeId: 'DOMAIN', id: 'x', domain: 'company.test' });
    assert.equal((await explain(app, user.id, wiki)).isAllowed, true);
  });

  test('codes count for the API session that the question names', async () => {
    await using app = await open();
    const net = network(app);
    const user = await client(app);
    const wiki = await net.service('wiki');
    const check = await checkOf(app, 'code', { typeId: 'MFA' });
    await net.dial({ identities: ['#all'], services: ['#all'], checks: [`@${check}`] });
    await user.passCode();
    const asked = (more: object) => app.controller.api.access.explain({ identityId: user.id, serviceId: wiki, type: 'Dial', ...more });
    assert.equal((await asked({})).isAllowed, false);
    assert.equal((await asked({ apiSessionId: user.sessionId })).isAllowed, true);
    const stranger = await client(app);
    for (const apiSessionId of [stranger.sessionId, 'no-such-id']) await assert.rejects(asked({ apiSessionId }), { code: 'NOT_FOUND' });
  });

  test('of very many routers in common some are named, and the number of the others is given', async () => {
    await using app = await open();
    const net = network(app);
    const ann = await net.identity('ann', 'sales');
    const wiki = await net.service('wiki', 'docs');
    await net.routersOfIdentities({ identities: ['#sales'], routers: ['#all'] });
    await net.routersOfServices({ services: ['#docs'], routers: ['#all'] });
    for (let i = 0; i < 50; i++) await net.router(`r${i}`);
    const all = await explain(app, ann, wiki);
    assert.deepEqual([all.commonRouters.length, all.moreCommonRouters], [50, 0]);
    for (let i = 50; i < 53; i++) await net.router(`r${i}`);
    const some = await explain(app, ann, wiki);
    assert.deepEqual([some.commonRouters.length, some.moreCommonRouters, some.identityRouterCount], [50, 3, 53]);
  });

  test('it is an operation of the extensions, for administrators, and knows no strangers', async () => {
    await using app = await open();
    const net = network(app);
    const [ann, wiki] = [await net.identity('ann'), await net.service('wiki')];
    const path = (id: string, serviceId: string, query = '') =>
      `/edge/management/extensions/v1/identities/${id}/services/${serviceId}/explain${query}`;
    assert.equal((await app.request('GET', path(ann, wiki))).body.data.isAllowed, false);
    assert.equal((await app.request('GET', path(ann, wiki, '?type=Bind'))).body.data.type, 'Bind');
    assert.equal((await app.request('GET', path(ann, wiki, '?type=Own'))).status, 400);
    assert.equal((await app.request('GET', path('nobody', wiki))).status, 404);
    assert.equal((await app.request('GET', path(ann, 'nothing'))).status, 404);
    const user = await app.user();
    assert.equal((await app.request('GET', path(ann, wiki), { as: await user.login() })).status, 401);
  });

  test('the sessions that continue are listed, in all logins of the identity, and those that ended are not', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const policy = await net.dial(staff);
    await net.bind(staff);
    const other = await net.service('other', 'web');
    const bob = await client(app, { roleAttributes: ['staff'] });
    const own = [await begin(app, ann, wiki), await begin(app, await anotherSession(app, ann), wiki)];
    for (const [who, service, type] of [
      [ann, wiki, 'Bind'],
      [ann, other, 'Dial'],
      [bob, wiki, 'Dial'],
    ] as const)
      await begin(app, who, service, type);
    const told = async () => {
      const { sessions, moreSessions } = await explain(app, ann.id, wiki);
      return [sessions.toSorted(), moreSessions];
    };
    assert.deepEqual(await told(), [own.toSorted(), 0]);
    await app.request('DELETE', `/service-policies/${policy}`);
    assert.deepEqual(await told(), [[], 0]);
  });
});
