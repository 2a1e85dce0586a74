import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allowedNames } from '../../../src/pki/server-names.ts';

describe('names that a server may have', () => {
  const dnsNames = (allowed: readonly string[], asked: readonly string[], own = 'no name of a server') =>
    allowedNames(allowed)({ dnsNames: asked, ipAddresses: [] }, own).dnsNames;
  const ipAddresses = (allowed: readonly string[], asked: readonly string[], own = '') =>
    allowedNames(allowed)({ dnsNames: [], ipAddresses: asked }, own).ipAddresses;

  test('a name is allowed as it stands, whatever its capitals', () => {
    assert.deepEqual(dnsNames(['A.example'], ['a.example', 'A.EXAMPLE', 'b.example', 'x.a.example', '']), ['a.example', 'A.EXAMPLE']);
  });

  test('a wildcard stands for one label, and for no wildcard', () => {
    const asked = ['a.r.example', 'a.b.r.example', 'r.example', '*.r.example', '.r.example', 'a-.r.example', 'axr.example'];
    assert.deepEqual(dnsNames(['*.r.example'], asked), ['a.r.example']);
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
    assert.deepEqual(allowedNames(['*'])(asked, ''), asked);
    assert.deepEqual(allowedNames([])(asked, ''), { dnsNames: [], ipAddresses: [] });
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
      assert.throws(() => allowedNames([entry]), TypeError, entry);
  });
});
