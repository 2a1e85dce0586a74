import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readVersion, readVersionRange } from '../../../src/query/semver/range.ts';
import { type TestPostureCheck, testNetwork } from '../../../testing/index.ts';
import { versionIn } from '../../../testing/versions.ts';

const checks: Readonly<Record<string, TestPostureCheck>> = {
  system: { typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: ['>=10.0.19045 <11.0.0', '12.x'] }] },
  'any version': { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] },
  address: { typeId: 'MAC', macAddresses: ['00:1a:2b:3c:4d:5e', '00-00-5E-00-53-01'] },
  domain: { typeId: 'DOMAIN', domains: ['acme.example', 'other.example'] },
  process: { typeId: 'PROCESS', process: { osType: 'Linux', path: '/bin/guard', hashes: ['AB12'], signerFingerprint: 'CD34' } },
  'all processes': {
    typeId: 'PROCESS_MULTI',
    semantic: 'AllOf',
    processes: [
      { osType: 'Linux', path: '/bin/a', hashes: ['ab'] },
      { osType: 'Linux', path: '/bin/b', signerFingerprints: ['cd'] },
    ],
  },
  'one process': {
    typeId: 'PROCESS_MULTI',
    semantic: 'AnyOf',
    processes: [
      { osType: 'Linux', path: '/bin/a' },
      { osType: 'macOS', path: '/bin/b' },
    ],
  },
  code: { typeId: 'MFA', timeoutSeconds: 600 },
};

for (const [name, fields] of Object.entries(checks))
  test(`a session satisfies a check of ${fields.typeId} (${name})`, async () => {
    await using network = await testNetwork();
    const ann = await network.identity('ann');
    const crm = await network.service('crm');
    const check = await network.postureCheck(name, fields);
    await network.dial([ann], [crm], [check]);
    const session = await ann.login();
    assert.equal(await network.mayDial(session, crm), false);
    await session.satisfy(check);
    assert.equal(await network.mayDial(session, crm), true);
    if (fields.typeId !== 'MFA') assert.equal(await network.mayDial(ann, crm), true);
  });

test('several checks are satisfied together, of the same type too', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const crm = await network.service('crm');
  const more: Readonly<Record<string, TestPostureCheck>> = {
    'another system': {
      typeId: 'OS',
      operatingSystems: [
        { type: 'Linux', versions: [] },
        { type: 'Windows', versions: ['!=10.0.19045'] },
      ],
    },
    'another address': { typeId: 'MAC', macAddresses: ['00:00:5e:00:53:02'] },
    'another domain': { typeId: 'DOMAIN', domains: ['OTHER.example'] },
  };
  const { 'any version': _, 'one process': __, ...first } = checks;
  const all = await Promise.all(Object.entries({ ...first, ...more }).map(([name, fields]) => network.postureCheck(name, fields)));
  await network.dial([ann], [crm], all);
  const session = await ann.login();
  await session.satisfy(...all);
  assert.equal(await network.mayDial(session, crm), true);
  await network.advance('11m');
  assert.equal(await network.mayDial(session, crm), false, 'the code was passed too long ago');
});

test('checks that nothing satisfies together are refused with their names', async () => {
  await using network = await testNetwork();
  const session = await (await network.identity('ann')).login();
  const { system = assert.fail(), 'any version': any = assert.fail(), domain = assert.fail() } = checks;
  const [windows, linux] = [await network.postureCheck('windows', system), await network.postureCheck('linux', any)];
  await assert.rejects(session.satisfy(windows, linux), {
    name: 'TypeError',
    message: "no operating system is in all of 'windows' and 'linux'",
  });
  const [one, two] = [
    await network.postureCheck('one', domain),
    await network.postureCheck('two', { typeId: 'DOMAIN', domains: ['third.example'] }),
  ];
  await assert.rejects(session.satisfy(one, two), { name: 'TypeError', message: "no domain is in all of 'one' and 'two'" });
  await assert.rejects(session.satisfy({ id: 'none' }), { code: 'NOT_FOUND' });
});

test('a session passes a code for each login, as long as an accepted interval is unused', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  await (await ann.login()).passCode();
  for (let i = 0; i < 5; i++) {
    const session = await ann.login();
    await assert.rejects(session.sessions.list(), { code: 'UNAUTHORIZED' });
    await session.passCode();
    await session.sessions.list();
    if (i === 3) await network.advance('30s');
  }
});

test('passing a code completes an enrollment in MFA that has begun, and enrolls again after MFA was removed', async () => {
  await using network = await testNetwork();
  const session = await (await network.identity('ann')).login();
  const { identities } = network.controller.api;
  const isEnabled = async () => (await identities.get({ id: session.identityId })).isMfaEnabled;
  await session.currentMfa.enroll();
  await session.passCode();
  assert.equal(await isEnabled(), true);
  await identities.deleteMfa({ id: session.identityId });
  assert.equal(await isEnabled(), false);
  await session.passCode();
  assert.equal(await isEnabled(), true);
});

test('a version is found that is in one of the ranges of a list, and none for lists that exclude each other', () => {
  const part = fc.integer({ min: 0, max: 20 });
  const version = fc.tuple(part, part, part).map((parts) => parts.join('.'));
  const range = fc.oneof(
    version,
    version.map((low) => `>=${low}`),
    version.map((low) => `>${low}`),
    version.map((not) => `!=${not}`),
    version.filter((high) => high !== '0.0.0').map((high) => `<${high}`),
    fc.tuple(part, part).map(([major, minor]) => `${major}.${minor}.x`),
    fc.tuple(part, part).map(([low, more]) => `>=${low}.0.0 <${low + more + 1}.0.0`),
    version.map((low) => `^${low}`),
  );
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 3 }), (ranges) => {
      const found = readVersion(versionIn([ranges]));
      assert.ok(found && ranges.some((each) => readVersionRange(each)?.(found)));
    }),
  );
  assert.throws(() => versionIn([['1.0.0'], ['2.0.0']]), /found no version in 1\.0\.0 and in 2\.0\.0/);
});
