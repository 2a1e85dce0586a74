import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type FilterValue, filter } from '../../../src/query/filter-text.ts';
import { tokenize } from '../../../src/query/tokens.ts';

describe('a filter with values in it', () => {
  test('holds each text as one string, whatever it is', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !/[\0-\x08\x0b\x0e-\x1f]/.test(value));
    const quotes = fc.string({ unit: fc.constantFrom('"', '\\', 'n', '\n', ' ', 'or', '(', '`', '$') });
    fc.assert(
      fc.property(fc.oneof(text, quotes), (value) => {
        const tokens = tokenize(filter`name = ${value}`);
        assert.deepEqual(
          tokens.map(({ is }) => is),
          ['word', 'mark', 'string', 'end'],
        );
        assert.equal(tokens[2]?.is === 'string' && tokens[2].value, value);
      }),
    );
  });

  test('writes other values as the language has them', () => {
    const cases: readonly (readonly [FilterValue, string])[] = [
      [7, '7'],
      [-1.5e-7, '-1.5e-7'],
      [1e21, '1e+21'],
      [9007199254740993n, '9007199254740993'],
      [true, 'true'],
      [null, 'null'],
      [new Date(0), 'datetime(1970-01-01T00:00:00.000Z)'],
      [['a', 'b"'], '["a", "b\\""]'],
      [[1, 2], '[1, 2]'],
    ];
    for (const [value, text] of cases) {
      assert.equal(filter`x = ${value}`, `x = ${text}`);
      tokenize(`x = ${text}`);
    }
    assert.equal(filter`a = ${1} and b = "c" or d in ${['e']} sort by f`, 'a = 1 and b = "c" or d in ["e"] sort by f');
  });

  test('refuses what no filter can hold', () => {
    for (const value of [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      [],
      {},
      new Date(Number.NaN),
      new Date(8.64e15),
      'a\0',
      '\x1b[0m',
      ['a', undefined],
    ])
      assert.throws(() => filter`x = ${value as string}`, { name: 'TypeError' }); // callers without types give what they like
  });

  test('refuses a value between quotes, which would end the string', () => {
    assert.throws(() => filter`name = "${'x'}"`, /remove the quotes/);
    assert.throws(() => filter`name = "a\\"${'x'}"`, /remove the quotes/);
    assert.equal(filter`name = "a" or name = ${'b'}`, 'name = "a" or name = "b"');
  });
});
