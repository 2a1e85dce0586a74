import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { parseQuery, queryParameters } from '../../../src/http/query-string.ts';

const declared = queryParameters(
  z.object({
    one: z.string().optional(),
    many: z.array(z.string()).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    piped: z
      .array(z.string())
      .transform((all) => all.join())
      .optional(),
  }),
);
const parse = (query: string) => parseQuery(query, declared);

test('the first value of a repeated parameter counts, lists take all', () => {
  assert.deepEqual(parse('one=a&one=b&many=x&many=y&either=1&piped=p&piped=q'), {
    one: 'a',
    many: ['x', 'y'],
    either: ['1'],
    piped: ['p', 'q'],
  });
});

test('names are case sensitive and unknown ones ignored', () => {
  assert.deepEqual(parse('One=a&ONE=b&two=c&&=&=x'), {});
});

test('escapes and plus signs are decoded, malformed ones drop their parameter', () => {
  assert.deepEqual(parse('one=a+b%20c%3D%26&many=%C3%A9'), { one: 'a b c=&', many: ['é'] });
  assert.deepEqual(parse('one=%zz&one=b&many=%ff&%6Fne=c'), { one: 'b' });
});

test('a semicolon does not separate: its parameter is dropped', () => {
  assert.deepEqual(parse('one=a;many=b&many=c'), { many: ['c'] });
  assert.deepEqual(parse('one=a%3Bb'), { one: 'a;b' });
});

test('a parameter without a value is empty', () => {
  assert.deepEqual(parse('one&many='), { one: '', many: [''] });
});

test('names of the prototype are no values', () => {
  assert.deepEqual(parse('__proto__=x&constructor=y&toString=z'), {});
});

test('what no store can hold is refused with the parameter', () => {
  for (const query of ['one=%00', 'many=a%00b', 'one=\ud800']) {
    assert.throws(
      () => parse(query),
      (error: { code?: string; cause?: { field?: string } }) =>
        error.code === 'COULD_NOT_VALIDATE' && /one|many/.test(error.cause?.field ?? ''),
    );
  }
  assert.deepEqual(parse('nobody=%00'), {});
});
