import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { list } from '../support/lists.ts';
import { checkOf, client } from '../support/posture.ts';
import { aService, domain, domainCheck, policyWith } from '../support/posture-access.ts';
import { newStorage } from '../support/stores.ts';

type Query = Readonly<Record<string, unknown>>;
const own = ({ _links, createdAt, updatedAt, tags, id, ...rest }: Query) => rest;

onEveryStore('posture queries of services', (open, store) => {
  test('a service asks one query for each check of each policy, and says which pass', proves(7, 10, 193, 194, 245), async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const [a, b] = [await domainCheck(app, 'a', 'a.test'), await domainCheck(app, 'b', 'a.test', 'b.test')];
    await app.request('PATCH', `/posture-checks/${a}`, { body: { typeId: 'DOMAIN', tags: { of: 'a' } } });
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
      tags: { of: 'a' },
      updatedAt: check.updatedAt,
      queryType: 'DOMAIN',
      isPassing: false,
      timeout: -1,
      timeoutRemaining: -1,
      processes: null,
    });
  });

  test('queries about processes name them, with the systems as clients know them', proves(194, 195), async () => {
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

  test('each kind of check passes by what it asks for, and fails at once by something else', proves(10, 16), async () => {
    await using app = await open();
    const user = await client(app);
    const wiki = await aService(app);
    const process = { typeId: 'PROCESS', path: '/p', isRunning: true, hash: 'AA:BB', signerFingerprints: ['EE'] };
    const cases: readonly (readonly [check: object, told: (id: string) => object, other: object])[] = [
      [
        { typeId: 'OS', operatingSystems: [{ type: 'LINUX', versions: ['>=5.0.0 <6.0.0'] }] },
        (id) => ({ typeId: 'OS', id, type: 'Linux', version: '5.4.0' }),
        { version: '6.0.0' },
      ],
      [{ typeId: 'MAC', macAddresses: ['AA:BB'] }, (id) => ({ typeId: 'MAC', id, macAddresses: ['aa-bb'] }), { macAddresses: ['aa-bc'] }],
      [{ typeId: 'DOMAIN', domains: ['Foo'] }, (id) => ({ typeId: 'DOMAIN', id, domain: 'fOO' }), { domain: 'bar' }],
      [
        { typeId: 'PROCESS', process: { osType: 'Linux', path: '/p', hashes: ['aabb'], signerFingerprint: 'ee' } },
        (id) => ({ ...process, id }),
        { isRunning: false },
      ],
      [
        { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [{ osType: 'Linux', path: '/q' }] },
        () => ({ ...process, id: 'any', path: '/q' }),
        { isRunning: false },
      ],
    ];
    for (const [check, told, other] of cases) {
      const id = await checkOf(app, 'check', check);
      const policy = await policyWith(app, 'policy', [id]);
      assert.deepEqual(await user.isPassing(wiki), [false], JSON.stringify(check));
      await user.tell(told(id));
      assert.deepEqual(await user.isPassing(wiki), [true], JSON.stringify(check));
      await user.tell({ ...told(id), ...other });
      assert.deepEqual(await user.isPassing(wiki), [false], JSON.stringify(check));
      await app.request('DELETE', `/service-policies/${policy}`);
      await app.request('DELETE', `/posture-checks/${id}`);
    }
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
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const user = await client(app);
    const page = () => costOf(() => user.get('/services?limit=500'));
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
});
