import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JSON_LIMITS } from '../../../src/call/json.ts';
import { parseJson } from '../../../src/http/body.ts';
import { acceptedJson } from '../../support/texts.ts';

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

test('a text that is not JSON is refused without quoting it', () => {
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

test('a text is refused if and only if it holds U+0000 or half of a surrogate pair', () => {
  const pieces = ['\\u0000', '\\ud83d', '\\uDBFF', '\\ude00', '\\uDC00', '\\\\', '\\n', '\\"', '\\u0041', 'u0000', 'ude00', 'a', '😀'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), fc.boolean(), (chosen, isKey) => {
      const json = `"${chosen.join('')}"`;
      const text: string = JSON.parse(json);
      const body = isKey ? `{${json}:[]}` : `[${json}]`;
      if (text.includes('\0') || !text.isWellFormed()) refused(body);
      else assert.deepEqual(parse(body), isKey ? { [text]: [] } : [text]);
    }),
    { numRuns: 1000 },
  );
});

test('a number is refused if and only if it is too large for a double', () => {
  const digits = fc.integer({ min: 1, max: 400 }).map((count) => '9'.repeat(count));
  const number = fc.tuple(digits, fc.constantFrom('', '.5'), fc.constantFrom('', 'e', 'E+', 'e-'), fc.integer({ min: 0, max: 400 }));
  fc.assert(
    fc.property(number, fc.constantFrom('', '00'), ([whole, fraction, e, exponent], zeros) => {
      const json = `${whole}${fraction}${e && `${e}${zeros}${exponent}`}`;
      if (Number.isFinite(Number(json))) assert.deepEqual(parse(`{"a":${json},"b":"1e999"}`), { a: Number(json), b: '1e999' });
      else refused(`[[${json}]]`);
    }),
    { numRuns: 1000 },
  );
});

test('nesting is bounded', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  assert.ok(parse(nested(JSON_LIMITS.depth)));
  refused(nested(JSON_LIMITS.depth + 1));
  refused(nested(400_000));
  refused(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`);
});

test('of a key given twice the last one counts', () => {
  assert.deepEqual(parse('{"a":1,"A":2,"a":3}'), { a: 3, A: 2 });
});

test('a key named after the prototype is refused, however deep and however it is escaped', () => {
  for (const key of ['__proto__', '\\u005f_proto__', '\\u005f\\u005F\\u0070\\u0072\\u006f\\u0074\\u006F\\u005F\\u005f'])
    for (const text of [`{"${key}":1}`, `{"a":{"${key}":{}}}`, `[0,{"a":[{"${key}":null}]}]`, `{"${key}":1,"${key}":2}`]) refused(text);
  assert.deepEqual(parse('{"a":"__proto__","b__proto__":"\\u005f","constructor":{"prototype":1}}'), {
    a: '__proto__',
    b__proto__: '_',
    constructor: { prototype: 1 },
  });
});

/** As the limits count: every value, and every member of an object. */
const countsOf = (value: unknown): { values: number; keys: number } => {
  if (typeof value !== 'object' || value === null) return { values: 1, keys: 0 };
  const within = Object.values(value).map(countsOf);
  const sum = (name: 'values' | 'keys') => within.reduce((total, each) => total + each[name], 0);
  return { values: 1 + sum('values'), keys: sum('keys') + (Array.isArray(value) ? 0 : Object.keys(value).length) };
};

test('values are counted wherever they stand, and one too many is refused before any is made', () => {
  const nested = acceptedJson({ maxDepth: 5 });
  const blanks = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(nested, blanks, (value, indent) => {
      const room = JSON_LIMITS.values - 1 - countsOf(value).values;
      const filled = (count: number) => JSON.stringify([value, ...Array(count).fill(0)], undefined, indent);
      assert.ok(parse(filled(room)));
      refused(filled(room + 1));
    }),
    { numRuns: 20 },
  );
});

test('members of objects are counted, given twice or not, and one too many is refused', () => {
  const members = (count: number, name = (i: number) => `k${i}`) => `{${Array.from({ length: count }, (_, i) => `"${name(i)}":0`)}}`;
  assert.ok(parse(members(JSON_LIMITS.keys)));
  refused(members(JSON_LIMITS.keys + 1));
  refused(members(JSON_LIMITS.keys + 1, () => 'same'));
  const spread = (count: number) => `[${Array.from({ length: count }, () => '{"a":0}')}]`;
  assert.ok(parse(spread(JSON_LIMITS.keys)));
  refused(spread(JSON_LIMITS.keys + 1));
});

test('punctuation within texts counts for nothing', () => {
  for (const inside of [',', ':', '[', '{', ']', '\\"', '\\\\', '\\\\\\",'])
    assert.ok(parse(`["${inside.repeat(60_000)}",{"${inside.repeat(60_000)}":1}]`), inside);
});

test('a policy with 10,000 role entries of each kind, and a thousand attributes, are within the limits', () => {
  const roles = Array.from({ length: 10_000 }, (_, i) => `#role-${i}`);
  assert.ok(parse(JSON.stringify({ name: 'all', identityRoles: roles, serviceRoles: roles, postureCheckRoles: roles })));
});
