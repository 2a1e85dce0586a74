/** Routers read ranges of versions with a library of their own, and fewer forms than the API takes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import semver from 'semver';
import { plainRange } from '../../../src/query/semver/plain-range.ts';
import { readVersion, readVersionRange } from '../../../src/query/semver/range.ts';

/**
 * How routers read a range (blang/semver 3.5), as far as it is described there: words between blanks, of which those of one letter are
 * dropped; two bars stand alone; comparators with whole versions, or with a wildcard, for which any `x` counts. Anything else is an error.
 */
const asRoutersRead = (range: string): ((version: string) => boolean) => {
  const words = range.split(' ').filter((word) => word.length > 1);
  const alternatives: string[][] = [[]];
  for (const word of words) {
    if (word === '||') alternatives.push([]);
    else alternatives.at(-1)?.push(word);
  }
  assert.ok(
    alternatives.every((words) => words.length > 0),
    `'||' stands at an end of '${range}'`,
  );
  const comparators = alternatives.map((words) =>
    words.map((word) => {
      const [, operator = '', version = ''] = /^(\D*)(.*)$/.exec(word) ?? [];
      assert.ok(['', '=', '==', '>', '>=', '<', '<=', '!', '!='].includes(operator), `'${word}' has no comparator`);
      assert.ok(!version.includes('x'), `'${word}' would be a wildcard`);
      assert.equal(semver.parse(version)?.version, version, `'${word}' has no whole version`);
      return { operator, version };
    }),
  );
  const holds = (version: string, { operator, version: bound }: { readonly operator: string; readonly version: string }): boolean => {
    const order = semver.compare(version, bound);
    if (operator === '>') return order > 0;
    if (operator === '>=') return order >= 0;
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator.startsWith('!') ? order !== 0 : order === 0;
  };
  return (version) => comparators.some((all) => all.every((one) => holds(version, one)));
};

const number = fc.nat({ max: 3 });
const prerelease = fc.constantFrom('', '', '', '-0', '-1', '-rc.1', '-alpha', '-1-generic');
const whole = fc.tuple(number, number, number, prerelease).map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre}`);
const wildcard = fc.oneof(
  fc.tuple(number, number).map(([major, minor]) => `${major}.${minor}.x`),
  number.map((major) => `${major}.x`),
  number.map((major) => `${major}.x.x`),
);
const partial = fc.oneof(
  number.map(String),
  fc.tuple(number, number).map(([major, minor]) => `${major}.${minor}`),
);
const operator = fc.constantFrom('', '=', '==', '>', '>=', '<', '<=', '!', '!=');
const own = fc
  .array(
    fc.tuple(operator, fc.oneof(whole, wildcard)).map((word) => word.join('')),
    { minLength: 1, maxLength: 4 },
  )
  .map((words) => words.join(' '));
const ofLibrary = fc.oneof(
  fc.tuple(fc.constantFrom('^', '~', '>', '>=', '<', '<=', '', '='), fc.oneof(whole, partial)).map((word) => word.join('')),
  fc.tuple(fc.oneof(whole, partial), fc.oneof(whole, partial)).map((bounds) => bounds.join(' - ')),
  fc.constant('*'),
);
const range = fc.array(fc.oneof(own, ofLibrary), { minLength: 1, maxLength: 3 }).map((alternatives) => alternatives.join(' || '));

describe('a range as it is sent to routers', () => {
  test('holds for the same versions to a router as it does here, whatever the range and the version', () => {
    fc.assert(
      fc.property(range, whole, (text, version) => {
        const [here, plain, read] = [readVersionRange(text), plainRange(text), readVersion(version)];
        if (!here || !read) return fc.pre(false);
        assert.ok(plain !== undefined, text);
        const there = plain === '' ? false : asRoutersRead(plain)(version);
        assert.equal(there, here(read), `${version} in '${text}', told as '${plain}'`);
      }),
      { numRuns: 5000 },
    );
  });

  test('has full versions and comparators', () => {
    const cases: Readonly<Record<string, string>> = {
      '>=10': '>=10.0.0-0',
      10: '>=10.0.0-0 <11.0.0-0',
      '~10.0.0': '>=10.0.0 <10.1.0-0',
      '^11.0.0': '>=11.0.0 <12.0.0-0',
      '*': '>=0.0.0-0',
      '1.2.3 - 2.0.0': '>=1.2.3-0 <2.0.1-0',
      '10.x || >=12.0.0': '>=10.0.0 <11.0.0 || >=12.0.0',
      '!=1.2.3': '<1.2.3 || >1.2.3',
      '1.2.3+build': '1.2.3',
      '>2.0.0 <1.0.0': '',
    };
    for (const [text, plain] of Object.entries(cases)) assert.equal(plainRange(text), plain, text);
  });

  test('is none where it cannot be said', () => {
    for (const text of ['>=1.0.0-experimental', '1.0.0 || 2.0.0-x.1', 'none']) assert.equal(plainRange(text), undefined, text);
  });
});
