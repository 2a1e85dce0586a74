import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_DEPTH, parseJson } from '../../../src/http/body.ts';
import { processorTime } from '../../support/processor-time.ts';

const utf8 = new TextEncoder();
const parse = (text: string) => parseJson(utf8.encode(text));
const refused = (text: string | Uint8Array) =>
  assert.throws(
    () => (typeof text === 'string' ? parse(text) : parseJson(text)),
    { name: 'ApiError', code: 'COULD_NOT_PARSE_BODY', status: 400 },
    String(text).slice(0, 40),
  );

test('JSON is parsed, integers in any spelling', () => {
  assert.deepEqual(parse('{"a":[1.0,1e2,"é",null,true]}'), { a: [1, 100, 'é', null, true] });
});

test('what is no JSON is refused without quoting it', () => {
  for (const text of ['', ' ', '{', '{"name": nope}', "{'a':1}", '{"a":1,}', 'hello', '{} {}', '{"password":"hunter2"', 'NaN'])
    refused(text);
  assert.throws(
    () => parse('{"password":"hunter2" x'),
    (error: { cause: { message: string } }) => {
      assert.doesNotMatch(error.cause.message, /hunter2/);
      assert.match(error.cause.message, /position 22/);
      return true;
    },
  );
});

test('other encodings than UTF-8 are refused', () => {
  refused(new Uint8Array([0x22, 0xff, 0x22]));
  refused(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]));
  refused(new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]));
});

test('what no store can hold is refused, wherever it stands', () => {
  for (const text of ['"\\u0000"', '{"a":["\\u0000"]}', '{"\\u0000":1}', '"\\ud800"', '{"a":{"b":"\\udc00x"}}', '{"a":1e400}', '[-1e999]'])
    refused(text);
  assert.deepEqual(parse('{"a":"\\ud83d\\ude00 \\u00e9 \\\\u0000"}'), { a: '😀 é \\u0000' });
});

test('nesting is bounded', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  assert.ok(parse(nested(MAX_DEPTH)));
  refused(nested(MAX_DEPTH + 1));
  refused(nested(400_000));
  refused(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`);
});

test('of a key given twice the last one counts', () => {
  assert.deepEqual(parse('{"a":1,"A":2,"a":3}'), { a: 3, A: 2 });
});

test('keys named after the prototype do no harm', () => {
  for (const key of ['__proto__', '\\u005f_proto__']) {
    const value = parse(`{"a":{"${key}":{"isAdmin":true}},"${key}":{"isAdmin":true}}`) as { a: object };
    assert.deepEqual(Object.keys(value), ['a']);
    assert.deepEqual(Object.keys(value.a), []);
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    assert.equal(Object.assign({}, value as { isAdmin?: boolean }).isAdmin, undefined);
  }
});

test('a large flat body is parsed in time that grows with its length', () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ name: `é${i}`, tags: { a: '\u0001' } })));
  const cost = processorTime(() => assert.equal((parse(text) as unknown[]).length, 20_000));
  assert.ok(cost < 5000, `took ${cost} ms`);
});
