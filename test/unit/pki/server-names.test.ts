import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  canonicalHost,
  conflictKeysOf,
  createNameRule,
  indexKeysOf,
  isLocalHost,
  matchesHost,
} from '../../../src/crypto/pki/server-names.ts';

describe('names that a server may have', () => {
  const dnsNames = (allowed: readonly string[], asked: readonly string[], own = 'no name of a server') =>
    createNameRule(allowed)({ dnsNames: asked, ipAddresses: [] }, own).dnsNames;
  const ipAddresses = (allowed: readonly string[], asked: readonly string[], own = '') =>
    createNameRule(allowed)({ dnsNames: [], ipAddresses: asked }, own).ipAddresses;

  test('a name is allowed as it stands, whatever its capitals', () => {
    assert.deepEqual(dnsNames(['A.example'], ['a.example', 'A.EXAMPLE', 'b.example', 'x.a.example', '']), ['a.example', 'A.EXAMPLE']);
  });

  test('a wildcard stands for one label, and for no wildcard', () => {
    const asked = ['a.r.example', 'a.b.r.example', 'r.example', '*.r.example', '.r.example', 'a-.r.example', 'axr.example'];
    assert.deepEqual(dnsNames(['*.r.example'], asked), ['a.r.example']);
  });

  test('a wildcard for the names below a single label does not stand for that label', () => {
    assert.deepEqual(dnsNames(['*.internal'], ['internal', 'a.internal']), ['a.internal']);
  });

  test('a label has at most 63 characters', () => {
    const [longest, tooLong] = ['a'.repeat(63), 'a'.repeat(64)];
    assert.equal(canonicalHost(`${longest}.example`), `${longest}.example`);
    assert.equal(canonicalHost(`${tooLong}.example`), undefined);
  });

  test("the record's own name is allowed where it is the name or the address of a server", () => {
    assert.deepEqual(dnsNames([], ['r.example', '*.r.example', 'localhost'], 'R.example'), ['r.example']);
    assert.deepEqual(dnsNames([], ['a.example', '*.example'], '*.example'), []);
    assert.deepEqual(dnsNames([], ['', '*', 'two words'], 'two words'), []);
    assert.deepEqual(ipAddresses([], ['10.0.0.1', '10.0.0.2'], '10.0.0.1'), ['10.0.0.1']);
  });

  test('addresses are allowed one by one and by ranges, in any of their text forms', () => {
    assert.deepEqual(ipAddresses(['10.1.0.0/16', '192.0.2.1', 'fd00::/8', '::1'], ['10.1.255.255', '10.2.0.0', '192.0.2.1', '192.0.2.2']), [
      '10.1.255.255',
      '192.0.2.1',
    ]);
    assert.deepEqual(ipAddresses(['::1', 'fd00::/8'], ['0:0:0:0:0:0:0:1', 'FD00:0:0:0:0:0:0:5', 'fe80::1', '::2']), [
      '0:0:0:0:0:0:0:1',
      'FD00:0:0:0:0:0:0:5',
    ]);
  });

  test('a star allows everything, and nothing is allowed by default', () => {
    const asked = { dnsNames: ['*.example', 'x'], ipAddresses: ['192.0.2.1'] };
    assert.deepEqual(createNameRule(['*'])(asked, ''), asked);
    assert.deepEqual(createNameRule([])(asked, ''), { dnsNames: [], ipAddresses: [] });
  });

  test('what is neither a name nor an address nor a range is refused', () => {
    for (const entry of [
      '',
      ' ',
      'two words',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.256',
      '**',
      'a..b',
      '*.',
      '-a',
      'https://a.example',
      'a.example:443',
    ])
      assert.throws(() => createNameRule([entry]), TypeError, entry);
  });
});

describe('hosts', () => {
  test('are the same in capitals, with a dot at the end, and in each form of an address', () => {
    for (const [host, expected] of [
      ['A.Example', 'a.example'],
      ['a.example.', 'a.example'],
      ['*.A.example', '*.a.example'],
      ['10.0.0.1', '10.0.0.1'],
      ['::ffff:10.0.0.1', '10.0.0.1'],
      ['0:0:0:0:0:FFFF:0A00:0001', '10.0.0.1'],
      ['::ffff:0:10.0.0.1', '10.0.0.1'],
      ['64:ff9b::10.0.0.1', '10.0.0.1'],
      ['[2001:DB8::1]', '2001:db8:0:0:0:0:0:1'],
      ['::1', '0:0:0:0:0:0:0:1'],
      ['', undefined],
      ['.', undefined],
      ['a..example', undefined],
      ['a.example..', undefined],
      ['*', undefined],
      ['a*.example', undefined],
      ['*.*.example', undefined],
      ['a.*.example', undefined],
      ['two words', undefined],
      ['a\u0000.example', undefined],
      ['10.0.0.256', undefined],
      ['1.2.3', undefined],
      ['ä.example', undefined],
    ] as const)
      assert.equal(canonicalHost(host), expected, host);
  });

  test('that mean the machine of whoever says them belong to nobody', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1']) assert.ok(isLocalHost(host), host);
    for (const host of ['localhost.example', 'mylocalhost', '128.0.0.1', '126.255.255.255', '::2', '10.0.0.1'])
      assert.ok(!isLocalHost(host), host);
  });

  test('find each other by words when one is the other, or a wildcard for it', () => {
    const meets = (asked: string, known: string) => conflictKeysOf(asked).some((word) => indexKeysOf(known).includes(word));
    for (const [a, b] of [
      ['a.r.example', 'a.r.example'],
      ['*.r.example', 'a.r.example'],
      ['*.r.example', '*.r.example'],
      ['single', 'single'],
      ['10.0.0.1', '10.0.0.1'],
    ] as const) {
      assert.ok(meets(a, b), `${a} ${b}`);
      assert.ok(meets(b, a), `${b} ${a}`);
    }
    for (const [a, b] of [
      ['a.r.example', 'b.r.example'],
      ['*.r.example', 'a.b.r.example'],
      ['*.r.example', 'r.example'],
      ['*.r.example', '*.b.r.example'],
      ['r.example', 'a.r.example'],
      ['10.0.0.1', '11.0.0.1'],
      ['single', 'other'],
    ] as const) {
      assert.ok(!meets(a, b), `${a} ${b}`);
      assert.ok(!meets(b, a), `${b} ${a}`);
    }
  });

  test('a wildcard stands for the names below it, however many labels some software reads for the star', () => {
    for (const [host, known, expected] of [
      ['ctrl.example', 'ctrl.example', true],
      ['*.example', 'ctrl.example', true],
      ['*.example', 'a.ctrl.example', true],
      ['*.ctrl.example', 'ctrl.example', false],
      ['*.xample', 'ctrl.example', false],
      ['example', 'ctrl.example', false],
    ] as const)
      assert.equal(matchesHost(host, known), expected, `${host} ${known}`);
  });
});
