import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { checkOf } from '../support/posture.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** Of each type: a body, how it reads back, and another body with how that reads back. */
const TYPES = {
  OS: [
    {
      operatingSystems: [
        { type: 'macOS', versions: [] },
        { type: 'LINUX', versions: ['>=5.0.0', '4.x', '4.x'] },
      ],
    },
    {
      operatingSystems: [
        { type: 'LINUX', versions: ['4.x', '>=5.0.0'] },
        { type: 'macOS', versions: null },
      ],
    },
    {
      operatingSystems: [
        { type: 'WINDOWS', versions: ['1.x'] },
        { type: 'Windows', versions: ['^10.0.0', '!=10.0.5'] },
      ],
    },
    { operatingSystems: [{ type: 'Windows', versions: ['!=10.0.5', '^10.0.0'] }] },
  ],
  MAC: [
    { macAddresses: ['AA:BB:CC-DD-EE-FF', '0011.2233.4455', 'aabbccddeeff'] },
    { macAddresses: ['001122334455', 'aabbccddeeff'] },
    { macAddresses: ['11-22-33-44-55-66'] },
    { macAddresses: ['112233445566'] },
  ],
  MFA: [
    { timeoutSeconds: 90, promptOnWake: true, ignoreLegacyEndpoints: true },
    { timeoutSeconds: 90, promptOnWake: true, ignoreLegacyEndpoints: true },
    { timeoutSeconds: 0, promptOnUnlock: true },
    { timeoutSeconds: -1, promptOnUnlock: true },
  ],
  PROCESS: [
    { process: { osType: 'Windows', path: 'C:\\a.exe', hashes: ['BB', 'AA'], signerFingerprint: 'CC' } },
    { process: { osType: 'Windows', path: 'C:\\a.exe', hashes: ['aa', 'bb'], signerFingerprint: 'cc' } },
    { process: { osType: 'Linux', path: '/x', signerFingerprint: '' } },
    { process: { osType: 'Linux', path: '/x', hashes: null } },
  ],
  PROCESS_MULTI: [
    {
      semantic: 'OneOf',
      processes: [
        { os: 'Windows', path: 'C:\\a.exe', hashes: ['AA'], signerFingerprints: ['bb', 'b', 'b'] },
        { osType: 'Linux', path: '/b' },
      ],
    },
    {
      semantic: 'OneOf',
      processes: [
        { os: 'Linux', osType: 'Linux', path: '/b', hashes: [], signerFingerprints: [] },
        { os: 'Windows', osType: 'Windows', path: 'C:\\a.exe', hashes: ['AA'], signerFingerprints: ['b', 'bb'] },
      ],
    },
    {
      semantic: 'AllOf',
      processes: [
        { osType: 'LINUX', path: '/b' },
        { osType: 'Linux', path: '/b', hashes: ['x'] },
      ],
    },
    { semantic: 'AllOf', processes: [{ os: 'Linux', osType: 'Linux', path: '/b', hashes: ['x'], signerFingerprints: [] }] },
  ],
  DOMAIN: [{ domains: ['Foo.COM', 'bar', 'bar'] }, { domains: ['Foo.COM', 'bar'] }, { domains: ['q'] }, { domains: ['q'] }],
} as const;

const ownFields = async (app: App, id: string) => {
  const { createdAt, updatedAt, _links, ...own } = (await app.request('GET', `/posture-checks/${id}`)).body.data;
  return own;
};

onEveryStore('posture checks', (open) => {
  test(
    'posture checks of each type are created, read, listed, replaced, patched and deleted',
    proves(196, 197, 198, 199, 202, 203, 204, 207, 210, 294, 328),
    async () => {
      await using app = await open();
      for (const [typeId, [body, shown, another, anotherShown]] of Object.entries(TYPES)) {
        const id = await checkOf(app, typeId, { typeId, ...body, roleAttributes: ['two', 'one'], tags: { a: 'b' } });
        const path = `/posture-checks/${id}`;
        const common = { id, typeId, version: 1 };
        const first = { ...common, name: typeId, roleAttributes: ['one', 'two'], tags: { a: 'b' } };
        assert.deepEqual(await ownFields(app, id), { ...first, ...shown });
        const listed = (await list(app, '/posture-checks', { filter: `typeId = "${typeId}"` })).body.data;
        assert.deepEqual(listed, [(await app.request('GET', path)).body.data]);
        assert.deepEqual(listed[0]._links, { self: { href: `./posture-checks/${id}` } });
        assert.equal((await app.request('PATCH', path, { body: { typeId, ...another } })).status, 200);
        assert.partialDeepStrictEqual(await ownFields(app, id), { ...first, roleAttributes: ['one', 'two'] });
        assert.equal((await app.request('PUT', path, { body: { typeId, name: 'new', ...another } })).status, 200);
        assert.deepEqual(await ownFields(app, id), { ...common, name: 'new', roleAttributes: [], tags: {}, ...anotherShown });
        assert.equal((await app.request('DELETE', path)).status, 200);
        assert.equal((await app.request('GET', path)).status, 404);
      }
    },
  );

  test('what is read of a posture check may be written back, and reads the same', async () => {
    await using app = await open();
    for (const [typeId, [body]] of Object.entries(TYPES)) {
      const id = await checkOf(app, typeId, { typeId, ...body });
      const before = await ownFields(app, id);
      const withoutNulls = JSON.parse(JSON.stringify(before), (_, value) => value ?? []);
      const answer = await app.request('PUT', `/posture-checks/${id}`, { body: withoutNulls });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await ownFields(app, id), before);
    }
  });

  test('a patch changes the fields that it gives, and of a process the parts', proves(203), async () => {
    await using app = await open();
    const patched = async (id: string, body: object) => {
      const answer = await app.request('PATCH', `/posture-checks/${id}`, { body });
      assert.equal(answer.status, 200, answer.text);
      return ownFields(app, id);
    };
    const mfa = await checkOf(app, 'mfa', { typeId: 'MFA', timeoutSeconds: 90, promptOnWake: true, promptOnUnlock: true });
    assert.partialDeepStrictEqual(await patched(mfa, { typeId: 'MFA', promptOnWake: false, timeoutSeconds: null }), {
      timeoutSeconds: 90,
      promptOnUnlock: true,
    });
    assert.equal('promptOnWake' in (await ownFields(app, mfa)), false);
    const several = await checkOf(app, 'several', { typeId: 'PROCESS_MULTI', ...TYPES.PROCESS_MULTI[0] });
    const { semantic, processes } = await patched(several, { typeId: 'PROCESS_MULTI', semantic: 'AllOf' });
    assert.deepEqual([semantic, processes.length], ['AllOf', 2]);
    const one = await checkOf(app, 'one', { typeId: 'PROCESS', ...TYPES.PROCESS[0] });
    const { process } = await patched(one, { typeId: 'PROCESS', process: { osType: 'Linux', path: '/x' } });
    assert.deepEqual(process, { osType: 'Linux', path: '/x', hashes: ['aa', 'bb'], signerFingerprint: 'cc' });
    const emptied = { osType: 'Linux', path: '/x', hashes: [], signerFingerprint: '' };
    const { process: bare } = await patched(one, { typeId: 'PROCESS', process: emptied });
    assert.deepEqual(bare, { osType: 'Linux', path: '/x', hashes: null });
  });

  test('the type of a posture check is needed in every body, and never changes', proves(197), async () => {
    await using app = await open();
    const id = await checkOf(app, 'mfa', { typeId: 'MFA' });
    const path = `/posture-checks/${id}`;
    const trail = await app.trail(async () => {
      for (const typeId of [undefined, null]) {
        assertInvalid(await app.request('POST', '/posture-checks', { body: { name: 'x', typeId } }), 'typeId');
        for (const method of ['PUT', 'PATCH']) assertInvalid(await app.request(method, path, { body: { name: 'x', typeId } }), 'typeId');
      }
      for (const method of ['PUT', 'PATCH'])
        assertInvalid(await app.request(method, path, { body: { name: 'x', typeId: 'DOMAIN', domains: ['a'] } }), 'typeId');
      assertInvalid(await app.request('PATCH', path, { body: { typeId: 'OS' } }), 'typeId');
      for (const typeId of ['SMELL', 'mfa', 5, {}, 'constructor', '__proto__'])
        assertRefused(await app.request('POST', '/posture-checks', { body: { name: 'x', typeId } }), 400, 'COULD_NOT_PARSE_BODY');
      assert.equal((await app.request('PATCH', path, { body: { typeId: 'MFA' } })).status, 200);
      assert.equal((await app.request('PATCH', '/posture-checks/unknown', { body: { typeId: 'MFA' } })).status, 404);
    });
    assert.deepEqual(trail, []);
  });

  test('bodies that make no posture check are refused with their field', proves(196, 198, 199, 207, 209, 468), async () => {
    await using app = await open();
    await checkOf(app, 'taken', { typeId: 'MFA' });
    const post = (body: object) => app.request('POST', '/posture-checks', { body: { name: 'n', ...body } });
    const linux = { osType: 'Linux', path: '/a' };
    const cases: readonly (readonly [field: string, ...bodies: object[]])[] = [
      ['name', { typeId: 'MFA', name: 'taken' }, { typeId: 'MFA', name: '' }, { typeId: 'MFA', name: null }],
      ['macAddresses', { typeId: 'MAC' }, { typeId: 'MAC', macAddresses: [] }],
      ['macAddresses.1', { typeId: 'MAC', macAddresses: ['aa', 'xyz'] }],
      ['domains', { typeId: 'DOMAIN' }, { typeId: 'DOMAIN', domains: [] }],
      ['operatingSystems', { typeId: 'OS' }, { typeId: 'OS', operatingSystems: [] }],
      ['operatingSystems.0.type', { typeId: 'OS', operatingSystems: [{ type: 'BeOS', versions: [] }] }],
      ['operatingSystems.0.versions', { typeId: 'OS', operatingSystems: [{ type: 'Linux' }] }],
      ...['', 'abc', '||', '1.0.0 ||'].map(
        (version) =>
          ['operatingSystems.0.versions.0', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [version] }] }] as const,
      ),
      ['process', { typeId: 'PROCESS' }],
      ['process.path', { typeId: 'PROCESS', process: { osType: 'Linux' } }, { typeId: 'PROCESS', process: { osType: 'Linux', path: '' } }],
      ['semantic', { typeId: 'PROCESS_MULTI', processes: [linux] }, { typeId: 'PROCESS_MULTI', processes: [linux], semantic: 'Most' }],
      ['processes', { typeId: 'PROCESS_MULTI', semantic: 'AllOf' }, { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [] }],
      [
        'processes.0.osType',
        ...[{ path: '/a' }, { osType: 'BeOS', path: '/a' }].map((process) => ({
          typeId: 'PROCESS_MULTI',
          semantic: 'AllOf',
          processes: [process],
        })),
      ],
      ['roleAttributes', { typeId: 'MFA', roleAttributes: [''] }],
    ];
    const trail = await app.trail(async () => {
      for (const [field, ...bodies] of cases) for (const body of bodies) assertInvalid(await post(body), field);
      for (const body of [
        { typeId: 'MAC', macAddresses: 'aa' },
        { typeId: 'MFA', timeoutSeconds: 'x' },
        { typeId: 'MFA', timeoutSeconds: 1.5 },
      ])
        assertRefused(await post(body), 400, 'COULD_NOT_PARSE_BODY');
    });
    assert.deepEqual(trail, []);
  });

  test('posture checks are found by their filter fields and by role', proves(316, 389), async () => {
    await using app = await open();
    await checkOf(app, 'a', { typeId: 'MFA', promptOnWake: true, roleAttributes: ['one'] });
    await checkOf(app, 'b', { typeId: 'MFA', promptOnUnlock: true, roleAttributes: ['one', 'two'] });
    const c = await checkOf(app, 'c', { typeId: 'MAC', macAddresses: ['aa'], roleAttributes: ['#three'] });
    const found = async (query: Parameters<typeof list>[2]) => namesIn(await list(app, '/posture-checks', { sort: 'name', ...query }));
    assert.deepEqual(await found({ filter: 'typeId = "MFA"' }), ['a', 'b']);
    assert.deepEqual(await found({ filter: 'promptOnWake = true' }), ['a']);
    assert.deepEqual(await found({ filter: 'promptOnUnlock = false' }), ['a', 'c']);
    assert.deepEqual(await found({ sort: 'typeId desc, name desc' }), ['b', 'a', 'c']);
    assert.deepEqual(await found({ roleFilter: ['#one'] }), ['a', 'b']);
    assert.deepEqual(await found({ roleFilter: ['#one', '#two', `@${c}`] }), ['b', 'c']);
    assert.deepEqual(await found({ roleFilter: ['#one', '##three'], roleSemantic: 'anyof' }), ['a', 'b', 'c']);
    assertInvalid(await list(app, '/posture-checks', { roleFilter: ['one'] }), 'roleFilter');
    assertRefused(await list(app, '/posture-checks', { filter: 'roleAttributes = "one"' }), 400, 'INVALID_FILTER');
    const { body } = await list(app, '/posture-check-role-attributes', {});
    assert.deepEqual(body.data, ['#three', 'one', 'two']);
  });

  test('the checks of a policy are listed below it, and the policies of a check below that, in the extensions', proves(14), async () => {
    await using app = await open();
    const [a, b] = [
      await checkOf(app, 'a', { typeId: 'MFA', roleAttributes: ['x', 'y'] }),
      await checkOf(app, 'b', { typeId: 'MFA', roleAttributes: ['x'] }),
    ];
    const policy = (name: string, semantic: string, postureCheckRoles: readonly string[]) =>
      app.create('/service-policies', { name, type: 'Dial', semantic, postureCheckRoles });
    const all = await policy('all', 'AllOf', ['#x', '#y']);
    const any = await policy('any', 'AnyOf', ['#x', '#y']);
    const none = await policy('none', 'AnyOf', []);
    const checks = async (id: string) => namesIn(await list(app, `/service-policies/${id}/posture-checks`, { sort: 'name' }));
    assert.deepEqual([await checks(all), await checks(any), await checks(none)], [['a'], ['a', 'b'], []]);
    const policies = async (id: string) =>
      namesIn(await list(app, `/edge/management/extensions/v1/posture-checks/${id}/service-policies`, { sort: 'name' }));
    assert.deepEqual([await policies(a), await policies(b)], [['all', 'any'], ['any']]);
  });

  test('an operating system may be written as command-line clients write it', async () => {
    await using app = await open();
    const body = { name: 'os', typeId: 'OS', operatingSystems: [{ Type: 'Linux', Versions: ['>=5.0.0'] }] };
    const id = await app.create('/posture-checks', body);
    const { data } = (await app.request('GET', `/posture-checks/${id}`)).body;
    assert.deepEqual(data.operatingSystems, [{ type: 'Linux', versions: ['>=5.0.0'] }]);
    for (const entry of [
      { Type: 'BeOS', Versions: [] },
      { TYPE: 'Linux', versions: [] },
    ])
      assertInvalid(
        await app.request('PATCH', `/posture-checks/${id}`, { body: { typeId: 'OS', operatingSystems: [entry] } }),
        'operatingSystems.0.type',
      );
  });

  test('a deleted posture check leaves the policies that name it, and blocks none', proves(185, 187), async () => {
    await using app = await open();
    const id = await checkOf(app, 'a', { typeId: 'MFA' });
    const policy = await app.create('/service-policies', {
      name: 'p',
      type: 'Dial',
      semantic: 'AnyOf',
      postureCheckRoles: [`@${id}`, '#x'],
    });
    const shown = async () => (await app.request('GET', `/service-policies/${policy}`)).body.data;
    assert.deepEqual((await shown()).postureCheckRolesDisplay, [
      { role: '#x', name: '#x' },
      { role: `@${id}`, name: '@a' },
    ]);
    assert.equal((await app.request('DELETE', `/posture-checks/${id}`)).status, 200);
    assert.deepEqual((await shown()).postureCheckRoles, ['#x']);
    assertInvalid(
      await app.request('PATCH', `/service-policies/${policy}`, { body: { postureCheckRoles: [`@${id}`] } }),
      'postureCheckRoles',
    );
  });

  test('deleting a posture check without the right is 403, and every other lack of right 401', proves(335, 336, 449), async () => {
    await using app = await open();
    const id = await checkOf(app, 'a', { typeId: 'MFA' });
    const as = await (await app.user()).login();
    assertRefused(await app.request('DELETE', `/posture-checks/${id}`, { as }), 403, 'UNAUTHORIZED');
    assertRefused(await app.request('DELETE', `/posture-checks/${id}`, { as: null }), 401, 'UNAUTHORIZED');
    for (const path of [
      '/posture-checks',
      `/posture-checks/${id}`,
      '/posture-check-types',
      '/posture-check-types/OS',
      '/posture-check-role-attributes',
    ])
      assertRefused(await app.request('GET', path, { as }), 401, 'UNAUTHORIZED');
    assert.equal((await app.request('GET', `/posture-checks/${id}`)).status, 200);
  });

  test('the types of posture checks are six, and fixed', proves(211, 212, 343), async () => {
    await using app = await open();
    const types = (await list(app, '/posture-check-types', { sort: 'id' })).body.data;
    assert.deepEqual(
      types.map(({ id }: { id: string }) => id),
      Object.keys(TYPES).toSorted(),
    );
    for (const { id, name, operatingSystems, version, _links } of types) {
      assert.deepEqual([typeof name, typeof version, operatingSystems.length > 0], ['string', 'string', true]);
      assert.deepEqual(_links, { self: { href: `./posture-check-types/${id}` } });
    }
    assert.deepEqual(namesIn(await list(app, '/posture-check-types', { filter: 'name contains "Process"', sort: 'name' })), [
      'Process Check',
      'Process Multi Check',
    ]);
    assertRefused(await app.request('GET', '/posture-check-types/none'), 404, 'NOT_FOUND');
    for (const [method, path] of [
      ['POST', '/posture-check-types'],
      ['DELETE', '/posture-check-types/OS'],
    ] as const)
      assertRefused(await app.request(method, path, { body: {} }), 405, 'METHOD_NOT_ALLOWED');
  });
});
