import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiSession } from '../../src/api/api-sessions.ts';
import { identity } from '../../src/api/identities.ts';
import { service } from '../../src/api/services.ts';
import { accessDecider, decideAccess } from '../../src/domain/policy/access/decide.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { counting } from '../support/counting.ts';
import { list } from '../support/lists.ts';
import { anotherSession, checkOf, client } from '../support/posture.ts';
import { newStorage } from '../support/stores.ts';

type Query = Readonly<Record<string, unknown>>;

/** A policy for everybody and every service, with the checks of these ids. */
const policyWith = (app: App, name: string, checks: readonly string[], more: object = {}) =>
  app.create('/service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
    postureCheckRoles: checks.map((id) => `@${id}`),
    ...more,
  });
const aService = (app: App, name = 'wiki') => app.create('/services', { name, encryptionRequired: true });
const domainCheck = (app: App, name: string, ...domains: string[]) => checkOf(app, name, { typeId: 'DOMAIN', domains });
const domain = (name: string) => ({ typeId: 'DOMAIN', id: 'any', domain: name });
const own = ({ _links, createdAt, updatedAt, tags, id, ...rest }: Query) => rest;

onEveryStore('posture and access', (open, store) => {
  test('a service asks one query for each check of each policy, and says which pass', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const [a, b] = [await domainCheck(app, 'a', 'a.test'), await domainCheck(app, 'b', 'a.test', 'b.test')];
    const both = await policyWith(app, 'both', [a, b]);
    const none = await policyWith(app, 'none', [], { type: 'Bind' });
    await user.tell(domain('B.TEST'));
    const queries = (await user.queries(wiki)).toSorted((x: { policyType: string }, y: { policyType: string }) =>
      x.policyType < y.policyType ? -1 : 1,
    );
    assert.deepEqual(queries[0], { policyId: none, policyType: 'Bind', isPassing: true, postureQueries: [] });
    assert.deepEqual([queries.length, queries[1].policyId, queries[1].isPassing], [2, both, false]);
    const inner = new Map<string, Query>(queries[1].postureQueries.map((query: { id: string }) => [query.id, query]));
    assert.deepEqual([inner.get(a)?.isPassing, inner.get(b)?.isPassing], [false, true]);
    const check = (await app.request('GET', `/posture-checks/${a}`)).body.data;
    assert.deepEqual(inner.get(a), {
      _links: check._links,
      createdAt: check.createdAt,
      id: a,
      tags: {},
      updatedAt: check.updatedAt,
      queryType: 'DOMAIN',
      isPassing: false,
      timeout: -1,
      timeoutRemaining: -1,
      processes: null,
    });
  });

  test('queries about processes name them, with the systems as clients know them', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    await policyWith(app, 'p', [
      await checkOf(app, 'one', { typeId: 'PROCESS', process: { osType: 'WINDOWS', path: 'C:\\p.exe', hashes: ['aa'] } }),
      await checkOf(app, 'several', {
        typeId: 'PROCESS_MULTI',
        semantic: 'OneOf',
        processes: [
          { os: 'LINUX', path: '/a' },
          { os: 'MACOS', path: '/b' },
        ],
      }),
      await checkOf(app, 'code', { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: true }),
    ]);
    const [{ postureQueries }] = await user.queries(wiki);
    const byType = new Map<string, Query>(postureQueries.map((query: { queryType: string }) => [query.queryType, own(query as never)]));
    const common = { isPassing: false, timeout: -1, timeoutRemaining: -1, processes: null };
    assert.deepEqual(byType.get('PROCESS'), { ...common, queryType: 'PROCESS', process: { osType: 'Windows', path: 'C:\\p.exe' } });
    const processes = [
      { osType: 'Linux', path: '/a' },
      { osType: 'macOS', path: '/b' },
    ];
    assert.deepEqual(byType.get('PROCESS_MULTI'), { ...common, queryType: 'PROCESS_MULTI', processes });
    const prompts = { promptOnWake: true, promptOnUnlock: true, timeoutAt: '2026-11-21T10:00:00.000Z' };
    assert.deepEqual(byType.get('MFA'), { ...common, ...prompts, queryType: 'MFA', timeout: 60, timeoutRemaining: 0 });
  });

  test('each kind of check passes when the endpoint tells what it asks for', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const process = { typeId: 'PROCESS', path: '/p', isRunning: true, hash: 'AA:BB', signerFingerprints: ['EE'] };
    const cases: readonly (readonly [check: object, told: (id: string) => object])[] = [
      [
        { typeId: 'OS', operatingSystems: [{ type: 'LINUX', versions: ['>=5.0.0 <6.0.0'] }] },
        (id) => ({ typeId: 'OS', id, type: 'Linux', version: '5.4.0' }),
      ],
      [{ typeId: 'MAC', macAddresses: ['AA:BB'] }, (id) => ({ typeId: 'MAC', id, macAddresses: ['aa-bb'] })],
      [{ typeId: 'DOMAIN', domains: ['Foo'] }, (id) => ({ typeId: 'DOMAIN', id, domain: 'fOO' })],
      [
        { typeId: 'PROCESS', process: { osType: 'Linux', path: '/p', hashes: ['aabb'], signerFingerprint: 'ee' } },
        (id) => ({ ...process, id }),
      ],
      [
        { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [{ osType: 'Linux', path: '/q' }] },
        () => ({ ...process, id: 'any', path: '/q' }),
      ],
    ];
    for (const [check, told] of cases) {
      const id = await checkOf(app, 'check', check);
      const policy = await policyWith(app, 'policy', [id]);
      assert.deepEqual(await user.isPassing(wiki), [false], JSON.stringify(check));
      await user.tell(told(id));
      assert.deepEqual(await user.isPassing(wiki), [true], JSON.stringify(check));
      await app.request('DELETE', `/service-policies/${policy}`);
      await app.request('DELETE', `/posture-checks/${id}`);
    }
  });

  test('failing checks take no permission and hide no service, but let nobody in unless another policy passes', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    await policyWith(app, 'strict', [await domainCheck(app, 'a', 'a.test')]);
    const may = async () => (await app.controller.access.explain({ identityId: user.id, serviceId: wiki, type: 'Dial' })).isAllowed;
    const { data } = (await user.get('/services')).body;
    assert.deepEqual([data.length, data[0].permissions], [1, ['Dial']]);
    assert.equal(await may(), false);
    await user.tell(domain('a.test'));
    assert.equal(await may(), true);
    await user.tell(domain('elsewhere'));
    assert.equal(await may(), false);
    await policyWith(app, 'bind without checks', [], { type: 'Bind' });
    assert.equal(await may(), false);
    await policyWith(app, 'dial without checks', []);
    assert.equal(await may(), true);
  });

  test('a policy that loses its last check passes, and one that changes its type keeps its checks', async () => {
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

  test('checks are attached by their attributes, with the semantic of the policy, as they are at the moment', async () => {
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

  test('a code counts for its own session, until the timeout of the check and no other', async () => {
    await using app = await open();
    const user = await client(app);
    const other = await anotherSession(app, user);
    const wiki = await aService(app);
    await policyWith(app, 'short', [await checkOf(app, 'short', { typeId: 'MFA', timeoutSeconds: 60 })]);
    await policyWith(app, 'long', [await checkOf(app, 'long', { typeId: 'MFA' })], { type: 'Bind' });
    await user.passCode();
    assert.deepEqual(
      [await user.isPassing(wiki), await other.isPassing(wiki)],
      [
        [true, true],
        [false, false],
      ],
    );
    app.clock.advance('61s');
    assert.deepEqual((await user.isPassing(wiki)).toSorted(), [false, true]);
    await user.passCode();
    assert.deepEqual(await user.isPassing(wiki), [true, true]);
  });

  test('five minutes after waking or unlocking a check that prompts fails, until a code comes', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    await policyWith(app, 'p', [await checkOf(app, 'c', { typeId: 'MFA', promptOnWake: true, promptOnUnlock: true })]);
    await user.passCode();
    for (const event of [{ woken: true }, { unlocked: true }]) {
      app.clock.advance('1m');
      const services = await user.tell({ typeId: 'ENDPOINT_STATE', id: '0', ...event });
      assert.deepEqual(services, [{ id: wiki, name: 'wiki', postureQueryType: 'MFA', timeout: -1, timeoutRemaining: 300 }]);
      app.clock.advance('300s');
      assert.deepEqual(await user.isPassing(wiki), [true]);
      app.clock.advance('1s');
      assert.deepEqual(await user.isPassing(wiki), [false]);
      await user.passCode();
      assert.deepEqual(await user.isPassing(wiki), [true]);
    }
  });

  test('the answer to waking names the services of the caller that prompt, with the nearest timeout, and no others', async () => {
    await using app = await open();
    const user = await client(app, { roleAttributes: ['mine'] });
    const [wiki] = [await aService(app, 'wiki'), await aService(app, 'other')];
    const check = (name: string, timeoutSeconds: number, prompts: object = { promptOnWake: true }) =>
      checkOf(app, name, { typeId: 'MFA', timeoutSeconds, ...prompts });
    const mine = { identityRoles: ['#mine'], serviceRoles: [`@${wiki}`] };
    await policyWith(app, 'a', [await check('none', 0), await check('900', 900), await check('ends anyway', 200)], mine);
    await policyWith(app, 'b', [await check('500', 500)], { ...mine, type: 'Bind' });
    await policyWith(app, 'theirs', [await check('theirs', 400)], { identityRoles: ['#theirs'] });
    await policyWith(app, 'silent', [await check('silent', 400, {})]);
    const woken = { typeId: 'ENDPOINT_STATE', id: '0', woken: true };
    assert.deepEqual(await user.tell(woken), []);
    await user.passCode();
    const [named, ...others] = await user.tell([domain('x'), woken]);
    assert.deepEqual([named, others], [{ id: wiki, name: 'wiki', postureQueryType: 'MFA', timeout: 500, timeoutRemaining: 300 }, []]);
    assert.deepEqual(await user.tell({ ...woken, woken: false, unlocked: true }), []);
    assert.deepEqual(await user.tell(domain('y')), []);
  });

  test('administrators see what is asked of another identity, where no code counts', async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    await policyWith(app, 'd', [await domainCheck(app, 'd', 'a.test')]);
    await policyWith(app, 'm', [await checkOf(app, 'm', { typeId: 'MFA' })]);
    await user.tell(domain('a.test'));
    await user.passCode();
    const passing = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.data.map(({ id, postureQueries }: { id: string; postureQueries: { isPassing: boolean }[] }) => [
        id,
        postureQueries.map(({ isPassing }) => isPassing).toSorted(),
      ]);
    assert.deepEqual(await user.isPassing(wiki), [true, true]);
    assert.deepEqual(passing(await list(app, '/services', { asIdentity: user.id })), [[wiki, [false, true]]]);
    assert.deepEqual(passing(await list(app, '/services', {})), [[wiki, [false, false]]]);
    assert.deepEqual(passing(await list(app, '/services', { roleFilter: [`@${wiki}`] })), [[wiki, []]]);
  });

  test('a page of services with posture checks costs two questions more, however many services, policies and checks', async () => {
    const { storage, calls } = counting(newStorage(store));
    await using app = await open({ storage });
    const user = await client(app);
    const page = async () => {
      const before = calls();
      await user.get('/services?limit=500');
      return calls() - before;
    };
    await aService(app, 's');
    await policyWith(app, 'free', []);
    const without = await page();
    for (let i = 0; i < 4; i++) {
      await aService(app, `s${i}`);
      const checks = [await domainCheck(app, `d${i}`, 'a'), await checkOf(app, `m${i}`, { typeId: 'MFA', roleAttributes: ['m'] })];
      await policyWith(app, `p${i}`, checks);
      await policyWith(app, `q${i}`, [], { postureCheckRoles: ['#m'] });
      assert.equal(await page(), without + 2);
    }
  });

  test('who asks whether access is granted is told why not, one service at a time or many', async () => {
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
        assert.deepEqual((await accessDecider(entities, asker))(what, type), decision);
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
