import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { checkOf } from '../support/posture.ts';
import { ownFields, TYPES } from '../support/posture-checks.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

onEveryStore('posture checks', (open) => {
  test(
    'posture checks of each type are created, read, listed, replaced, patched and deleted',
    proves(196, 197, 198, 199, 202, 203, 204, 205, 206, 207, 210, 294, 328, 335, 465, 468),
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
    assert.deepEqual(await found({ filter: 'anyOf(roleAttributes) = "one"' }), ['a', 'b']);
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
    for (const path of ['/posture-checks', `/posture-checks/${id}`, '/posture-check-role-attributes'])
      assertRefused(await app.request('GET', path, { as }), 401, 'UNAUTHORIZED');
    assert.equal((await app.request('GET', `/posture-checks/${id}`)).status, 200);
  });

  test('the types of posture checks are a fixed list', proves(211, 212, 343), async () => {
    await using app = await open();
    const versions: Readonly<Record<string, readonly string[]>> = {
      Android: ['10', '11', '9'],
      Linux: ['4.14', '4.19', '5.4', '5.9'],
      Windows: ['10', '2000', '7', '8', 'Vista'],
      iOS: ['11', '12'],
      macOS: ['10.15', '11.0'],
    };
    const on = (...systems: readonly string[]) => systems.map((type) => ({ type, versions: versions[type] }));
    const desktops = ['Linux', 'Windows', 'macOS'];
    const offered: Readonly<Record<string, readonly [name: string, operatingSystems: readonly object[]]>> = {
      DOMAIN: ['Windows Domain Check', on('Windows')],
      MAC: ['MAC Address Check', on('Android', ...desktops)],
      MFA: ['MFA Check', on('Android', 'Linux', 'Windows', 'iOS', 'macOS')],
      OS: ['Operating System Check', on('Android', 'Linux', 'Windows', 'iOS', 'macOS')],
      PROCESS: ['Process Check', on(...desktops)],
      PROCESS_MULTI: ['Process Multi Check', desktops.map((type) => ({ type, versions: null }))],
    };
    const types = (await list(app, '/posture-check-types', { sort: 'id' })).body.data;
    assert.deepEqual(
      types.map(({ id, name, operatingSystems, version, tags, _links }: Readonly<Record<string, unknown>>) => ({
        ...{ id, name, operatingSystems, version, tags, _links },
      })),
      Object.entries(offered).map(([id, [name, operatingSystems]]) => ({
        ...{ id, name, operatingSystems, version: '1', tags: {} },
        _links: { self: { href: `./posture-check-types/${id}` } },
      })),
    );
    assert.deepEqual(namesIn(await list(app, '/posture-check-types', { filter: 'name contains "Process"', sort: 'name' })), [
      'Process Check',
      'Process Multi Check',
    ]);
    assertRefused(await list(app, '/posture-check-types', { filter: 'none = 1' }), 400, 'INVALID_FILTER');
    assertRefused(await app.request('GET', '/posture-check-types/none'), 404, 'NOT_FOUND');
    for (const [method, path] of [
      ['POST', '/posture-check-types'],
      ['DELETE', '/posture-check-types/OS'],
    ] as const)
      assertRefused(await app.request(method, path, { body: {} }), 405, 'METHOD_NOT_ALLOWED');
  });
});
