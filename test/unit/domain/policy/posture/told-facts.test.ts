import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Facts } from '../../../../../src/access/posture/facts.ts';
import { proves } from '../../../../specification.ts';
import { check, evaluate, passes, query } from './checks.ts';

describe('posture checks of what endpoints tell', () => {
  test('one of the hardware addresses must be listed', proves(202), () => {
    const mac = check('MAC', { macAddresses: ['001122334455', 'aabbccddeeff'] });
    const told = (...addresses: string[]): Facts => ({ mac: { addresses } });
    assert.equal(passes(mac, told('ff', 'aabbccddeeff')), true);
    for (const addresses of [[], ['ff'], ['aabbcc'], ['']]) assert.equal(passes(mac, told(...addresses)), false);
    const { expectedValue, actualValue } = evaluate(mac, told('ff'));
    assert.deepEqual([expectedValue, actualValue], [['001122334455', 'aabbccddeeff'], ['ff']]);
    assert.deepEqual(evaluate(mac, {}).actualValue, []);
  });

  test('the domain must be a listed one, whatever its case', proves(210), () => {
    const domain = check('DOMAIN', { domains: ['Foo.com', 'bar', ''] });
    for (const told of ['FOO.COM', 'bar', 'Bar']) assert.equal(passes(domain, { domain: { domain: told } }), true, told);
    for (const told of ['foo', '', 'foo.com.']) assert.equal(passes(domain, { domain: { domain: told } }), false, told);
    assert.deepEqual(evaluate(domain, {}), { isPassing: false, expectedValue: ['Foo.com', 'bar', ''], actualValue: '' });
  });

  test('an operating system that is reported by either of its names is the one that is listed by either', proves(199), () => {
    const systems = [
      ['Windows', 'WINDOWS'],
      ['WindowsServer', 'WINDOWS_SERVER'],
      ['Android', 'ANDROID'],
      ['iOS', 'IOS'],
      ['Linux', 'LINUX'],
      ['macOS', 'MACOS'],
    ] as const;
    for (const listed of systems)
      for (const type of listed) {
        const os = check('OS', { operatingSystems: [{ type, versions: null }] });
        for (const told of systems)
          for (const name of told)
            assert.equal(passes(os, { os: { type: name, version: '1.0.0', build: null } }), told === listed, `${type} and ${name}`);
      }
  });

  test('the operating system must be a listed one by any of its names, and its version in one of the ranges', proves(199, 200), () => {
    const os = check('OS', {
      operatingSystems: [
        { type: 'ANDROID', versions: null },
        { type: 'Linux', versions: ['>=5.0.0 || 4.19.x', '3.x'] },
        { type: 'WINDOWS_SERVER', versions: ['>=10.0.0'] },
      ],
    });
    const told = (type: string, version: string): Facts => ({ os: { type, version, build: null } });
    for (const [type, version] of [
      ['Android', 'anything'],
      ['LINUX', '5.4.0'],
      ['linux', '4.19.7'],
      ['Linux', '3.0.0'],
      ['WindowsServer', '10.0.1'],
    ] as const)
      assert.equal(passes(os, told(type, version)), true, `${type} ${version}`);
    for (const [type, version] of [
      ['Linux', '4.18.0'],
      ['Linux', '5.4'],
      ['Linux', 'v5.4.0'],
      ['Linux', ''],
      ['Windows', '10.0.1'],
      ['', '5.4.0'],
    ] as const)
      assert.equal(passes(os, told(type, version)), false, `${type} ${version}`);
    assert.deepEqual(evaluate(os, told('Linux', '4')).actualValue, { type: 'Linux', version: '4' });
  });

  test('where a system counts builds, the build is the third number', proves(201), () => {
    const range = ['>=10.0.19041 <10.0.22000'];
    const os = check('OS', {
      operatingSystems: [
        { type: 'WINDOWS', versions: range },
        { type: 'WINDOWS_SERVER', versions: range },
        { type: 'Linux', versions: ['>=1.0.0'] },
      ],
    });
    const told = (type: string, version: string, build: string | null): Facts => ({ os: { type, version, build } });
    for (const type of ['Windows', 'WindowsServer']) {
      for (const build of ['19041', '19045', '21999']) assert.equal(passes(os, told(type, '10.0', build)), true, `${type} ${build}`);
      assert.equal(passes(os, told(type, '10.0.19045', '1')), true, type);
      for (const build of ['19040', '22000', '', null, '19045.1', 'x'])
        assert.equal(passes(os, told(type, '10.0', build)), false, `${type} ${build}`);
    }
    assert.equal(passes(os, told('Linux', '1.5', '7')), false);
  });

  const process = { postureCheckId: 'the-check', path: '/p', isRunning: true, hash: 'aabb', signerFingerprints: ['ee', 'ff'] };

  test('a process must run under the id of the check, with a listed hash and the signer, and any path will do', () => {
    const one = check('PROCESS', { process: { osType: 'LINUX', path: '/p', hashes: ['AABB', 'cc:dd'], signerFingerprint: 'ee' } });
    const told = (more: object): Facts => ({ processes: [{ ...process, ...more }] });
    for (const more of [{}, { hash: 'ccdd' }, { path: '/q' }, { path: null }]) assert.equal(passes(one, told(more)), true);
    const wrong = [
      { isRunning: false },
      { hash: 'aa' },
      { hash: null },
      { signerFingerprints: ['ff'] },
      { signerFingerprints: null },
      { postureCheckId: 'other' },
    ];
    for (const more of wrong) assert.equal(passes(one, told(more)), false, JSON.stringify(more));
    assert.deepEqual(query(one, {}), { process: { osType: 'Linux', path: '/p' } });
    const bare = check('PROCESS', { process: { osType: 'Linux', path: '/p', hashes: null } });
    assert.equal(passes(bare, told({ hash: null, signerFingerprints: null })), true);
    assert.deepEqual(evaluate(bare, {}).actualValue, { hash: '', isRunning: false, signerFingerprints: null });
  });

  const several = (semantic: 'AllOf' | 'AnyOf' | 'OneOf') =>
    check('PROCESS_MULTI', {
      semantic,
      processes: [
        { osType: 'Linux', os: 'Linux', path: '/a', hashes: ['AABB'], signerFingerprints: [] },
        { osType: 'Windows', os: 'Windows', path: 'C:\\b.exe', hashes: [], signerFingerprints: ['EE'] },
      ],
    });
  const a = { postureCheckId: 'x', path: '/a', isRunning: true, hash: 'aabb', signerFingerprints: null };
  const b = { postureCheckId: 'y', path: 'C:\\b.exe', isRunning: true, hash: null, signerFingerprints: ['ee'] };

  test('AllOf asks for every process, OneOf and AnyOf for one', proves(205, 206), () => {
    const cases = [
      [[], false, false],
      [[a], false, true],
      [[b], false, true],
      [[a, b], true, true],
    ] as const;
    for (const [paths, all, one] of cases) {
      assert.equal(passes(several('AllOf'), { paths }), all);
      assert.equal(passes(several('OneOf'), { paths }), one);
      assert.equal(passes(several('AnyOf'), { paths }), one);
    }
    for (const semantic of ['AllOf', 'AnyOf'] as const)
      assert.equal(passes(check('PROCESS_MULTI', { semantic, processes: [] }), { paths: [a] }), false, 'of none, none runs');
  });

  test('of several processes, each is judged by running, exact path, hash and signer', proves(208), () => {
    const wrong = [{ isRunning: false }, { path: '/A' }, { path: null }, { hash: 'aa' }, { hash: null }];
    for (const more of wrong) assert.equal(passes(several('AnyOf'), { paths: [{ ...a, ...more }] }), false, JSON.stringify(more));
    assert.equal(passes(several('AnyOf'), { paths: [{ ...b, signerFingerprints: ['dd'] }] }), false);
    assert.equal(passes(several('AnyOf'), { paths: [{ ...b, signerFingerprints: ['dd', 'EE'] }] }), true);
    const { expectedValue, actualValue, extraProperties } = evaluate(several('OneOf'), { paths: [a, { ...a, path: '/elsewhere' }] });
    assert.deepEqual(expectedValue, [
      { osType: 'Linux', path: '/a', hashes: ['AABB'], signerFingerprints: null },
      { osType: 'Windows', path: 'C:\\b.exe', hashes: null, signerFingerprints: ['EE'] },
    ]);
    assert.deepEqual(actualValue, [{ hash: 'aabb', isRunning: true, signerFingerprints: null, path: '/a' }]);
    assert.deepEqual(extraProperties, { semantic: 'OneOf' });
  });

  test('a hash without hex digits is not a hash, and equals none', () => {
    const process = check('PROCESS', { process: { osType: 'Linux', path: '/x', hashes: ['xyz'] } });
    const told = (hash: string): Facts => ({ processes: [{ postureCheckId: process.id, isRunning: true, hash, signerFingerprints: [] }] });
    for (const hash of ['xyz', 'no', '']) assert.equal(passes(process, told(hash)), false, hash);
  });
});
