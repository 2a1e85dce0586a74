import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { list } from '../../../src/contract/api/kit/bounded.ts';
import { surfaces } from '../../../src/contract/api/surfaces/index.ts';
import { parseQuery, queryParameters } from '../../../src/http/query-string.ts';

const operation = {
  operationId: 'listThings',
  query: z.object({
    one: z.string().optional(),
    many: list(z.string(), 9).optional(),
    either: z.union([z.string(), list(z.string(), 9)]).optional(),
    piped: list(z.string(), 9)
      .transform((all) => all.join())
      .optional(),
  }),
};
const declared = queryParameters({ ...operation, surfaces: [surfaces.management] }) ?? assert.fail();
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

test('escapes and plus signs are decoded', () => {
  assert.deepEqual(parse('one=a+b%20c%3D%26&many=%C3%A9'), { one: 'a b c=&', many: ['é'] });
  assert.deepEqual(parse('%6Fne=c'), { one: 'c' });
});

const refused = (query: string, field: string, among = declared) =>
  assert.throws(
    () => parseQuery(query, among),
    (error: { code?: string; status?: number; cause?: { field?: string } }) => {
      assert.deepEqual([error.code, error.status, error.cause?.field], ['COULD_NOT_VALIDATE', 400, field], query);
      return true;
    },
  );

test('a parameter that cannot be decoded is refused by its name, one that nobody asked for is ignored', () => {
  for (const value of ['%zz', '%ff', '%', '%e2%82', 'a%2', '%ed%a0%80']) {
    refused(`one=${value}`, 'one');
    refused(`many=a&many=${value}`, 'many');
    refused(`%6Fne=${value}&one=b`, 'one');
    assert.deepEqual(parse(`other=${value}&%ff=x&one=b`), { one: 'b' });
  }
  assert.deepEqual(parse('one=b&one=%zz'), { one: 'b' }, 'what does not count is not looked at');
});

test('a bare semicolon separates nothing: the parameter beside it is refused', () => {
  refused('one=a;b', 'one');
  refused('one=a;many=b', 'one');
  refused('other=a;one=b', 'one');
  refused('other;one', 'one');
  assert.deepEqual(parse('one=a%3Bb&other=a;b'), { one: 'a;b' });
});

test('a parameter without a value is empty', () => {
  assert.deepEqual(parse('one&many='), { one: '', many: [''] });
});

test('names of the prototype are not values', () => {
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

test('where a surface is strict, an unknown parameter is refused with the one that was probably meant', () => {
  const strict = queryParameters({ ...operation, surfaces: [surfaces.extensions] }) ?? assert.fail();
  assert.deepEqual(parseQuery('one=a&&many=b&', strict), { one: 'a', many: ['b'] });
  for (const query of ['two=x', 'one=a&two', 'two=x;four=a', 't%77o=x']) refused(query, 'two', strict);
  refused('%ff=x', '%ff', strict);
  refused('__proto__=x', '__proto__', strict);
  refused(`${'x'.repeat(10_000)}=`, 'x'.repeat(100), strict);
  const reasonFor = (query: string) => {
    try {
      return parseQuery(query, strict);
    } catch (error) {
      return (error as { readonly cause: { readonly reason: string } }).cause.reason; // ApiError with a field
    }
  };
  assert.equal(reasonFor('mani=x'), "listThings has no parameter 'mani': did you mean 'many'?");
  assert.equal(reasonFor('actor=x'), "listThings has no parameter 'actor', but one, many, either, piped");
});

test('an operation without parameters takes none where its surface is strict', () => {
  const none = { operationId: 'getThing' };
  assert.equal(queryParameters({ ...none, surfaces: [surfaces.management] }), undefined);
  const strict = queryParameters({ ...none, surfaces: [surfaces.extensions] }) ?? assert.fail();
  assert.deepEqual(parseQuery('', strict), {});
  refused('filter=true', 'filter', strict);
});
