import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import semver from 'semver';
import { readVersion, readVersionRange } from '../../../src/query/semver/range.ts';
import { proves } from '../../specification.ts';

const holds = (range: string, version: string): boolean => {
  const read = readVersion(version);
  const isIn = readVersionRange(range);
  assert.ok(read && isIn, `${range} or ${version} is not read`);
  return isIn(read);
};

describe('ranges of versions', () => {
  test('comparators, wildcards and alternatives mean what the field takes them to mean', proves(200), () => {
    const cases: readonly (readonly [range: string, within: readonly string[], without: readonly string[]])[] = [
      ['>=10.0.0 <11.0.0', ['10.0.0', '10.0.19041'], ['9.9.9', '11.0.0']],
      ['1.2.3', ['1.2.3', '1.2.3+build5'], ['1.2.4', '1.2.3-rc.1']],
      ['= 2.0.0', ['2.0.0'], ['2.0.1']],
      ['==2.0.0', ['2.0.0'], ['1.9.9']],
      ['<= 2.0.0', ['2.0.0', '0.0.1'], ['2.0.1']],
      ['!=1.2.3', ['1.2.4', '1.2.2'], ['1.2.3']],
      ['!1.2.3', ['1.2.4'], ['1.2.3']],
      ['>1.0.0 || <0.5.0', ['0.4.0', '1.0.1'], ['0.7.0', '1.0.0']],
      ['1.2.x', ['1.2.0', '1.2.9'], ['1.3.0', '1.1.9', '1.2.0-rc']],
      ['1.x', ['1.0.0', '1.99.0'], ['2.0.0', '0.9.9']],
      ['1.x.x', ['1.0.0'], ['2.0.0']],
      ['>1.2.x', ['1.3.0'], ['1.2.9']],
      ['>=1.2.x', ['1.2.0'], ['1.1.9']],
      ['<1.2.x', ['1.1.9'], ['1.2.0']],
      ['<=1.2.x', ['1.2.9'], ['1.3.0']],
      ['!=1.2.x', ['1.1.9', '1.3.0'], ['1.2.0', '1.2.5']],
      ['>=1.0.0', ['1.0.0+build5', '1.0.1-beta'], ['1.0.0-beta']],
      ['>=4.0.0', ['4.19.0-1-generic'], ['4.0.0-1-generic']],
    ];
    for (const [range, within, without] of cases) {
      for (const version of within) assert.equal(holds(range, version), true, `${version} in ${range}`);
      for (const version of without) assert.equal(holds(range, version), false, `${version} in ${range}`);
    }
  });

  test('carets, tildes, partial versions and the star are read as the library of the field reads them', proves(200), () => {
    const cases = [
      ['^1.2.3', '1.9.0', '2.0.0'],
      ['~1.2.3', '1.2.9', '1.3.0'],
      ['>=10', '10.0.0', '9.9.9'],
      ['10', '10.5.1', '11.0.0'],
      ['^4.0.0', '4.19.0-1-generic', '5.0.0'],
      ['1.0.0 - 2.0.0', '1.5.0', '2.0.1'],
      ['1.x||3.x', '3.4.5', '2.0.0'],
    ] as const;
    for (const [range, within, without] of cases) assert.deepEqual([holds(range, within), holds(range, without)], [true, false], range);
    assert.equal(holds('*', '0.0.1-alpha'), true);
  });

  test('a text that is not a valid range gives none', () => {
    for (const text of [
      '',
      ' ',
      'abc',
      '||',
      '1.x ||',
      '|| 1.x',
      '>',
      '>=1.0.0 <',
      '1.2.3.4',
      'one.x',
      '1.0.0 || abc',
      `1.0.0${' || 1.0.0'.repeat(200)}`,
    ])
      assert.equal(readVersionRange(text), undefined, text);
  });

  test('a version is three numbers, with what may follow them, and nothing else', () => {
    for (const text of ['1.0.0', '10.0.19041', '1.0.0-beta', '1.0.0+build5', '4.19.0-1-generic']) assert.ok(readVersion(text), text);
    for (const text of [
      '',
      '1',
      '1.5',
      'v1.5.0',
      '=1.5.0',
      ' 1.5.0',
      '1.5.0 ',
      '01.5.0',
      '1.5.0.1',
      '1.5.x',
      'not a version',
      `${'9'.repeat(40)}.0.0`,
    ])
      assert.equal(readVersion(text), undefined, text);
  });

  test('without prereleases it agrees with the library on everything that both read', proves(200), () => {
    const small = fc.nat(3);
    const whole = fc.tuple(small, small, small).map((parts) => parts.join('.'));
    const version = fc.oneof(
      whole,
      fc.tuple(small, small).map(([a, b]) => `${a}.${b}.x`),
      small.map((a) => `${a}.x`),
    );
    const comparator = fc.tuple(fc.constantFrom('', '=', '>', '>=', '<', '<='), version).map((parts) => parts.join(''));
    const range = fc
      .array(fc.array(comparator, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((alternatives) => alternatives.map((all) => all.join(' ')).join(' || '));
    fc.assert(
      fc.property(range, whole, (asked, told) => assert.equal(holds(asked, told), semver.satisfies(told, asked), `${told} in ${asked}`)),
      { numRuns: 2000 },
    );
  });

  test('no text breaks it', () => {
    const pieces = fc.constantFrom(
      '1',
      '.',
      'x',
      '>',
      '=',
      '<',
      '!',
      '||',
      '|',
      ' ',
      '^',
      '~',
      '*',
      '-',
      '+',
      '2.0.0',
      '99999999999999999999',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (text) => {
          readVersionRange(text)?.(readVersion('1.0.0') as never);
          readVersion(text);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
