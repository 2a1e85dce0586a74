import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { checkOf } from '../support/posture.ts';
import { ownFields, TYPES } from '../support/posture-checks.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

onEveryStore('bodies of posture checks', (open) => {
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

  test('a patch changes the fields that it gives, and of a process the parts', proves(203, 205, 206), async () => {
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
    for (const wanted of ['AllOf', 'OneOf', 'AnyOf']) {
      const { semantic, processes } = await patched(several, { typeId: 'PROCESS_MULTI', semantic: wanted });
      assert.deepEqual([semantic, processes.length], [wanted, 2]);
    }
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

  test('bodies that make no posture check are refused with their field', proves(196, 198, 199, 202, 207, 209, 210, 468), async () => {
    await using app = await open();
    await checkOf(app, 'taken', { typeId: 'MFA' });
    const domains = await checkOf(app, 'domains', { typeId: 'DOMAIN', domains: ['a.example'] });
    const post = (body: object) => app.request('POST', '/posture-checks', { body: { name: 'n', ...body } });
    const linux = { osType: 'Linux', path: '/a' };
    const cases: readonly (readonly [field: string, ...bodies: object[]])[] = [
      ['name', { typeId: 'MFA', name: 'taken' }, { typeId: 'MFA', name: '' }, { typeId: 'MFA', name: null }],
      ['macAddresses', { typeId: 'MAC' }, { typeId: 'MAC', macAddresses: [] }],
      ['macAddresses.1', { typeId: 'MAC', macAddresses: ['aa', 'xyz'] }],
      ['domains', { typeId: 'DOMAIN' }, { typeId: 'DOMAIN', domains: [] }, { typeId: 'DOMAIN', macAddresses: ['a.example'] }],
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
      ...[{ osType: 'Linux' }, { osType: 'Linux', path: '' }].map(
        (process) => ['processes.0.path', { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [process] }] as const,
      ),
      ['roleAttributes', { typeId: 'MFA', roleAttributes: [''] }],
    ];
    const trail = await app.trail(async () => {
      for (const [field, ...bodies] of cases) for (const body of bodies) assertInvalid(await post(body), field);
      for (const method of ['PUT', 'PATCH'])
        assertInvalid(
          await app.request(method, `/posture-checks/${domains}`, { body: { name: 'domains', typeId: 'DOMAIN', domains: [] } }),
          'domains',
        );
      for (const body of [
        { typeId: 'MAC', macAddresses: 'aa' },
        { typeId: 'MFA', timeoutSeconds: 'x' },
        { typeId: 'MFA', timeoutSeconds: 1.5 },
      ])
        assertRefused(await post(body), 400, 'COULD_NOT_PARSE_BODY');
    });
    assert.deepEqual(trail, []);
  });

  test(
    'an operating system goes by any of its two names, is shown by that one, and by no other spelling',
    proves(198, 199, 207),
    async () => {
      await using app = await open();
      const names = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'];
      const families = ['WINDOWS', 'WINDOWS_SERVER', 'ANDROID', 'IOS', 'LINUX', 'MACOS'];
      for (const type of [...names, ...families]) {
        const id = await checkOf(app, type, { typeId: 'OS', operatingSystems: [{ type, versions: [] }] });
        assert.deepEqual((await ownFields(app, id)).operatingSystems, [{ type, versions: null }]);
        const processes = [{ osType: type, path: '/a' }];
        const several = await checkOf(app, `process on ${type}`, { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes });
        const [process] = (await ownFields(app, several)).processes;
        assert.deepEqual([process.osType, process.os], [type, type]);
      }
      for (const type of ['windows', 'WINDOWSSERVER', 'Windows_Server', 'android', 'Ios', 'linux', 'MacOS', 'BeOS', ''])
        assertInvalid(
          await app.request('POST', '/posture-checks', { body: { name: 'x', typeId: 'OS', operatingSystems: [{ type, versions: [] }] } }),
          'operatingSystems.0.type',
        );
    },
  );

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
});
