import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { CHECKED_FORMATS, createFormats } from '../../../../../src/access/configs/formats/index.ts';
import { createStepBudget } from '../../../../../src/access/configs/limits.ts';
import { metaSchemas } from '../../../../../src/access/configs/meta-schemas.ts';

const budget = createStepBudget();
const formats = createFormats(budget);
const is = (name: string, text: string): boolean => {
  budget.fill(Number.MAX_SAFE_INTEGER);
  return formats[name]?.(text) ?? assert.fail(name);
};

// biome-ignore format: a table
const EXAMPLES: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  date: [['2024-02-29', '2000-02-29', '0000-12-31'], ['2023-02-29', '1900-02-29', '2024-13-01', '2024-04-31', '2024-1-1', '']],
  time: [['00:00:00Z', '23:59:60z', '15:59:60-08:00', '12:00:00.123+0530', '12:00:00+05'], ['12:00:00', '24:00:00Z', '12:60:00Z', '22:59:60Z', '24:59:10+01:00', '12:00:00+24:00']],
  'date-time': [['2024-02-29T00:00:00Z', '2024-02-29 00:00:00+01:00'], ['2024-02-29', '2024-02-30T00:00:00Z', '2024-02-29_00:00:00Z']],
  duration: [['P1Y2M3DT4H5M6S', 'P3W', 'PT0S'], ['P', 'PT', '1D', 'P1DT', 'P1W1D', 'P1.5D', 'p1d']],
  email: [['a@b.example', "o'neil+x@mail.a-b.example"], ['a', 'a@b', 'a@@b.example', '.a@b.example', 'a@-b.example', '"a"@b.example']],
  hostname: [['a', 'a.example', 'a-1.example.', '1.2', `${'a'.repeat(63)}.example`], ['', '.', 'a..b', '-a', 'a-', 'a_b', 'a b', `${'a'.repeat(64)}.example`]],
  ipv4: [['10.0.0.1', '255.255.255.255'], ['10.0.0.256', '10.0.0', '010.0.0.1', '1.2.3.4.5', '']],
  ipv6: [['::', '::1', '1::', '1:2:3:4:5:6:7:8', '::ffff:10.0.0.1', '1:2:3:4:5:6:10.0.0.1', '1:2:3:4:5:6:7::'], ['::g', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2:3:4:5:6:7:8', '::10.0.0.01', '10.0.0.1', 'fe80::1%0']],
  uuid: [['f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'urn:uuid:F2DD2DF0-9c04-4b84-a91e-71437ac229f1'], ['f2dd', 'f2dd2df09c044b84a91e71437ac229f1']],
  uri: [['http://a.example/?q#f', 'urn:a:b', 'mailto:a@b', 'http://[::1]:80/', 'http://u:p@[v1.a]/', 'http://a/%20'], ['a b', '/a', 'http:', 'http://[::g]/', 'http://[::1', 'http://[::1]x', 'http://a/%2', 'http://a/{b}', '1http://a']],
  'uri-reference': [['', '/a', 'a/b', '?q', '#f', '//a', 'http://a'], ['a b', '[', '#a#b', '\\', 'ü']],
  'uri-template': [['', 'http://a/{b}', '/{+b,c:3,d*}{?q}', 'a%20'], ['{', '}', '{}', 'a b', '{a:0}', '{a', '%2', '"']],
  'json-pointer': [['', '/', '/a/~0~1', '/ü b'], ['a', '/~', '/~2']],
  'relative-json-pointer': [['0', '1/a', '10#'], ['', '/a', '01', '-1', '1a', '0##']],
};

test('every checked format has examples, which hold', () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), [...CHECKED_FORMATS].sort());
  for (const [name, [good, bad]] of Object.entries(EXAMPLES)) {
    for (const text of good) assert.ok(is(name, text), `${name} '${text}'`);
    for (const text of [...bad, `${good[0]}\n`, 'x'.repeat(3000)]) assert.ok(!is(name, text), `${name} '${text}'`);
  }
});

/**
 * The formats of Ajv, which agree but for one: theirs takes hours and minutes out of bounds that an offset brings near the end of a day.
 */
const reference = (name: string, text: string): boolean => {
  const format = (addFormats as unknown as typeof addFormats.default).get(name as 'date'); // its types take the module for its default export
  if (format instanceof RegExp) return format.test(text);
  const validate = typeof format === 'object' && 'validate' in format ? format.validate : format;
  return typeof validate === 'function' ? Boolean(validate(text as never)) : assert.fail(name);
};
const isOutOfBounds = (text: string): boolean => /(?:^|[t\s])(?:2[4-9]|[3-9]\d|\d\d:[6-9]\d):/i.test(text);

for (const [name, [good, bad]] of Object.entries(EXAMPLES)) {
  const all = [...good, ...bad];
  const alphabet = [...new Set(all.join('')), ...'aZ09~-.:/?#[]@%"{}+ \n'];
  const character = fc.constantFrom(...alphabet);
  /** An example in which some places are changed. */
  const near = fc
    .tuple(fc.constantFrom(...all), fc.array(fc.tuple(fc.nat(60), fc.nat(2), fc.array(character, { maxLength: 3 })), { maxLength: 3 }))
    .map(([text, changes]) =>
      changes.reduce((now, [at, cut, put]) => {
        const place = at % (now.length + 1);
        return now.slice(0, place) + put.join('') + now.slice(place + cut);
      }, text),
    );
  const any = fc.oneof(
    near,
    fc.array(character, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  test(`texts of the format ${name} are those of another implementation`, () => {
    fc.assert(
      fc.property(any, (text) => {
        if (!isOutOfBounds(text)) assert.equal(is(name, text), reference(name, text), JSON.stringify(text));
      }),
      { numRuns: 3000 },
    );
  });
}

for (const [draft, Reference, documents] of [
  ['draft-07', Ajv, ['http://json-schema.org/draft-07/schema']],
  [
    '2020-12',
    Ajv2020,
    ['schema', 'core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'].map(
      (part) => `https://json-schema.org/draft/2020-12/${part === 'schema' ? part : `meta/${part}`}`,
    ),
  ],
] as const) {
  const published = new Reference({ strict: false, logger: false, validateFormats: false });
  const properties = documents.flatMap((id) =>
    Object.entries(((published.getSchema(id)?.schema ?? {}) as { properties?: object }).properties ?? {}),
  );

  test(`the meta-schema of ${draft} has the keywords of the published one that say something, in their order`, () => {
    const saying = properties.filter(([, form]) => form !== true).map(([keyword]) => keyword);
    assert.deepEqual(Object.keys(metaSchemas[draft].properties as object), saying);
  });

  test(`a schema is one of ${draft} if and only if the published meta-schema says so`, () => {
    const own = published.compile({ ...metaSchemas[draft] });
    const value = fc.oneof(
      fc.constantFrom<unknown>(true, false, 0, 1, -1, 1.5, 'a', '1', 'a#', '#a', 'string', 'bogus', null),
      fc.constantFrom<unknown>([], [1], ['a'], ['a', 'a'], ['string'], ['string', 'string'], [{}], [{ type: 1 }]),
      fc.constantFrom<unknown>({}, { a: {} }, { a: 1 }, { a: true }, { a: ['b'] }, { a: [1] }, { type: 1 }, { a: { type: 1 } }),
    );
    const keyword = fc.constantFrom(...properties.map(([name]) => name), 'unknown');
    let valid = 0;
    fc.assert(
      fc.property(fc.dictionary(keyword, value, { maxKeys: 2, noNullPrototype: true }), (schema) => {
        const expected = published.validateSchema({ ...schema, $schema: documents[0] }) === true;
        if ('$schema' in schema) return;
        valid += Number(expected);
        assert.equal(own(schema), expected, JSON.stringify(schema));
      }),
      { numRuns: 3000 },
    );
    assert.ok(valid > 300, `${valid} valid`);
  });
}
