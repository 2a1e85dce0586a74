import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from '../../../../../src/access/configs/schema.ts';
import { accepts, DRAFT_2020, refusal } from './ask.ts';

test('the root of a schema must be of type object', () => {
  for (const type of ['string', 'array', 'bogus', ['object'], ['object', 'null'], 1, null])
    assert.equal(refusal({ type }), `type at the root must be "object", got ${JSON.stringify(type)}`);
  assert.equal(refusal({ properties: { a: { type: 'string' } } }), 'type at the root must be "object", got none');
  for (const schema of ['x', [], null, true, 1]) assert.equal(refusal(schema), 'must be an object');
});

test('a value that is not a schema is refused with the place and what belongs there', () => {
  assert.match(
    refusal({ type: 'object', properties: { a: { type: 'bogus' } } }),
    /^is not a valid schema of draft-07: properties\.a\.type: anyOf: .*"array", "boolean"/,
  );
  assert.equal(refusal({ type: 'object', required: 'a' }), 'is not a valid schema of draft-07: required: type: expected array, got string');
  assert.equal(
    refusal({ type: 'object', properties: { a: { minLength: -1 } } }),
    'is not a valid schema of draft-07: properties.a.minLength: minimum: expected a number >= 0',
  );
  assert.match(
    refusal({ ...DRAFT_2020, items: [{}] }),
    /^is not a valid schema of 2020-12: items: type: expected object or boolean, got array/,
  );
});

test('what only a reference declares to be a schema must be one', () => {
  const parts = { good: { type: 'string' }, bad: { type: 'bogus' }, text: 'x' };
  const schema = (name: string) => ({ type: 'object', parts, properties: { a: { $ref: `#/parts/${name}` } } });
  assert.ok(accepts(schema('good'), { a: 'x' }));
  assert.ok(!accepts(schema('good'), { a: 1 }));
  assert.match(refusal(schema('bad')), /^is not a valid schema of draft-07: type: /);
  assert.equal(refusal(schema('text')), 'reference "#/parts/text" does not refer to a schema');
});

test('draft-07 is the default, 2020-12 is named by $schema, and others are refused', () => {
  const tuple = { type: 'object', properties: { l: { items: [{ type: 'integer' }] } } };
  for (const $schema of [
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema',
  ])
    assert.ok(!accepts({ $schema, ...tuple }, { l: ['x'] }));
  assert.ok(!accepts(tuple, { l: ['x'] }));
  assert.ok(!accepts({ ...DRAFT_2020, properties: { l: { prefixItems: [{ type: 'integer' }] } } }, { l: ['x'] }));
  assert.ok(!accepts({ ...DRAFT_2020, dependentRequired: { a: ['b'] } }, { a: 1 }));
  for (const $schema of [
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'constructor',
    7,
    null,
    { toString: 1 },
  ])
    assert.equal(
      refusal({ $schema, type: 'object' }),
      `$schema must identify draft-07 (the default) or 2020-12, got ${JSON.stringify($schema)}`,
    );
});

test('references lead to definitions, anchors and the root, by any spelling of the own address', () => {
  const $id = 'http://example.com/schemas/port.json';
  const definitions = { port: { type: 'integer' }, 'a/b~c d': { type: 'integer' }, named: { $id: '#port', type: 'integer' }, never: false };
  for (const $ref of [
    '#/definitions/port',
    '#/definitions/a~1b~0c%20d',
    '#port',
    `${$id}#/definitions/port`,
    'port.json#/definitions/port',
    '/schemas/port.json#port',
  ]) {
    const schema = { $id, type: 'object', definitions, properties: { p: { $ref } } };
    assert.ok(accepts(schema, { p: 1 }), $ref);
    assert.ok(!accepts(schema, { p: 'x' }), $ref);
  }
  assert.ok(!accepts({ type: 'object', definitions, properties: { p: { $ref: '#/definitions/never' } } }, { p: 1 }));
  const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } }, additionalProperties: false };
  assert.ok(accepts(tree, { left: { left: {}, right: {} } }));
  assert.ok(!accepts(tree, { left: { left: { up: {} } } }));
});

test('references out of the schema, and to nothing, are refused', () => {
  const refers = ($ref: string) => ({ type: 'object', properties: { a: { $ref } } });
  for (const $ref of ['http://example.com/x', 'other.json', 'file:///etc/passwd', 'http://[', '//x#/definitions/a'])
    assert.equal(refusal(refers($ref)), `reference "${$ref}" refers to another document, which is not fetched`);
  for (const $ref of ['#/definitions/a', '#nobody', '#/properties/a/constructor', '#/__proto__'])
    assert.equal(refusal(refers($ref)), `reference "${$ref}" cannot be resolved`);
  assert.equal(refusal(refers('#/%')), 'reference "#/%" is malformed');
  assert.equal(
    refusal({ type: 'object', properties: { a: { $id: 'http://example.com/a' } } }),
    '$id is only supported at the root, got "http://example.com/a" below it',
  );
});

test('beside a reference draft-07 looks at nothing, 2020-12 at everything', () => {
  const a = { $ref: '#/definitions/any', type: 'string' };
  assert.ok(accepts({ type: 'object', definitions: { any: {} }, properties: { a } }, { a: 1 }));
  assert.ok(!accepts({ ...DRAFT_2020, definitions: { any: {} }, properties: { a } }, { a: 1 }));
});

test('a dynamic reference is one to the anchor of its name', () => {
  const schema = {
    ...DRAFT_2020,
    $dynamicAnchor: 'node',
    properties: { child: { $dynamicRef: '#node', $ref: '#/$defs/small' } },
    additionalProperties: false,
    $defs: { small: { maxProperties: 1 } },
  };
  assert.ok(accepts(schema, { child: { child: {} } }));
  assert.ok(!accepts(schema, { child: { other: {} } }));
  assert.ok(!accepts(schema, { child: { child: {}, other: {} } }));
});

test('properties that are evaluated elsewhere count for unevaluatedProperties, across references', () => {
  const schema = {
    ...DRAFT_2020,
    allOf: [{ $ref: '#/$defs/base' }],
    properties: { b: {} },
    unevaluatedProperties: false,
    $defs: { base: { properties: { a: {} } } },
  };
  assert.ok(accepts(schema, { a: 1, b: 1 }));
  assert.ok(!accepts(schema, { a: 1, c: 1 }));
});

test('keywords of other vocabularies change nothing', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', nullable: true, $async: true, cost: 'x', discriminator: {}, deprecated: true, 'x-note': 1 } },
    $async: true,
    title: 'T',
  };
  assert.ok(accepts(schema, { a: 'x' }));
  assert.ok(!accepts(schema, { a: null }));
});

test('names that every object inherits are ordinary names', () => {
  assert.ok(accepts({ type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'string' } } }, {}));
  assert.ok(!accepts({ type: 'object', required: ['constructor'] }, {}));
  assert.ok(!accepts({ type: 'object', additionalProperties: false }, JSON.parse('{"__proto__":1}')));
  assert.ok(accepts(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), {}));
});

test('an integral number is an integer, and decimal fractions are multiples of their unit', () => {
  const schema = { type: 'object', properties: { i: { type: 'integer' }, m: { multipleOf: 0.01 } } };
  assert.ok(accepts(schema, JSON.parse('{"i":1.0,"m":19.99}')));
  assert.ok(!accepts(schema, { i: 1.5 }));
  assert.ok(!accepts(schema, { m: 0.005 }));
});

test('patterns are searched for anywhere in the text', () => {
  const schema = { type: 'object', properties: { d: { pattern: '[0-9]+(h|m|s|ms)' } }, patternProperties: { x: { type: 'integer' } } };
  assert.ok(accepts(schema, { d: 'about 5m or so', axb: 1 }));
  assert.ok(!accepts(schema, { d: '5' }));
  assert.ok(!accepts(schema, { axb: 'y' }));
});

test('patterns of the specification are understood, as far as their time is linear', () => {
  const match = (pattern: string, text: string) => accepts({ type: 'object', properties: { a: { pattern } } }, { a: text });
  for (const [pattern, good, bad] of [
    ['^\\d{2,3}$', '123', '1234'],
    ['^(?<year>\\d+)\\/\\u0041$', '7/A', '7/B'],
    ['^\\p{L}+$', 'é', '1'],
    ['^[^]$', '\n', 'ab'],
    ['^.$', '😀', 'ab'],
    ['^\\\\k<$', '\\k<', 'k<'],
  ] as const)
    assert.deepEqual([match(pattern, good), match(pattern, bad)], [true, false], pattern);
  const reason = (pattern: string) => refusal({ type: 'object', properties: { a: { pattern } } });
  for (const pattern of ['(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b'])
    assert.match(reason(pattern), /cannot be used: look-around such as .* is not supported$/);
  for (const pattern of ['(a)\\1', '(?<n>a)\\k<n>'])
    assert.match(reason(pattern), /cannot be used: back-references such as .* are not supported$/);
  assert.match(reason('('), /^pattern "\(" cannot be used: .*missing closing/);
  assert.match(refusal({ type: 'object', patternProperties: { '[': {} } }), /^pattern "\[" cannot be used/);
});

test('formats of addresses and times are checked, idn-hostname takes whatever an address looks like, unknown ones are notes', () => {
  const is = (format: string, text: string) => accepts({ type: 'object', properties: { a: { format } } }, { a: text });
  for (const [format, good, bad] of [
    ['ipv4', '10.0.0.1', '10.0.0.256'],
    ['ipv6', '::1', '::g'],
    ['hostname', 'a.example', 'a b'],
    ['uri', 'http://a.example/', 'a b'],
    ['date-time', '2024-02-29T00:00:00Z', '2023-02-29T00:00:00Z'],
    ['uuid', 'f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'f2dd'],
    ['email', 'a@b.example', 'a'],
  ] as const)
    assert.deepEqual([is(format, good), is(format, bad)], [true, false], format);
  for (const address of ['a.example', 'münchen.example', '10.0.0.0/8', '*.wild.example', '::1', '$dst_ip', 'my_host'])
    assert.ok(is('idn-hostname', address), address);
  for (const unknown of ['bogus', 'constructor', 'hasOwnProperty', '__proto__']) assert.ok(is(unknown, 'x'), unknown);
});

test('a schema is compiled once, whatever object it comes in', () => {
  assert.equal(compileSchema({ type: 'object', maxProperties: 7 }), compileSchema({ type: 'object', maxProperties: 7 }));
});

test('changing the object afterwards changes nothing', () => {
  const schema = { type: 'object', properties: { a: { enum: [1] } } };
  const check = compileSchema(schema);
  schema.properties.a.enum.push(2);
  assert.equal(check({ a: 2 }).length, 1);
});
