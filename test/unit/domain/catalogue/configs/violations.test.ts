import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from '../../../../../src/access/configs/schema.ts';
import { DRAFT_2020, fault } from './ask.ts';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['port'],
  properties: {
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    host: { type: 'string', minLength: 2 },
    mode: { type: 'string', enum: ['a', 'b'] },
    list: { type: 'array', items: { type: 'integer' }, minItems: 1, uniqueItems: true },
    nested: { type: 'object', required: ['protocol'], properties: { protocol: { const: 'tcp' } }, additionalProperties: false },
  },
};

test('a fault is reported with the place of the value, and of the object for missing and unknown properties', () => {
  const faults: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{}, '(root)', "required: property 'port' is missing"],
    [{ port: 'x' }, 'port', 'type: expected integer, got string'],
    [{ port: null }, 'port', 'type: expected integer, got null'],
    [{ port: 0 }, 'port', 'minimum: expected a number >= 1'],
    [{ port: 65536 }, 'port', 'maximum: expected a number <= 65535'],
    [{ port: 1.5 }, 'port', 'type: expected integer, got number'],
    [{ port: 1, strange: 1 }, '(root)', "additionalProperties: unknown property 'strange'"],
    [{ port: 1, mode: 'c' }, 'mode', 'enum: expected one of "a", "b"'],
    [{ port: 1, host: 'h' }, 'host', 'minLength: expected at least 2 characters'],
    [{ port: 1, list: [] }, 'list', 'minItems: expected at least 1 items'],
    [{ port: 1, list: [1, 'x'] }, 'list.1', 'type: expected integer, got string'],
    [{ port: 1, list: [2, 3, 2] }, 'list', 'uniqueItems: items 0 and 2 are equal'],
    [{ port: 1, nested: {} }, 'nested', "required: property 'protocol' is missing"],
    [{ port: 1, nested: { protocol: 'tcp', x: 1 } }, 'nested', "additionalProperties: unknown property 'x'"],
    [{ port: 1, nested: { protocol: 'udp' } }, 'nested.protocol', 'const: expected "tcp"'],
  ];
  for (const [data, field, reason] of faults) assert.deepEqual(fault(SCHEMA, data), [field, reason]);
});

test('for an unknown property the name that was probably meant is suggested', () => {
  const meant = (name: string) => /did you mean '(.*)'/.exec(fault(SCHEMA, { port: 1, [name]: 1 })[1])?.[1];
  assert.deepEqual(['pory', 'prot', 'PORT', 'lists', 'neseted', 'mdoe'].map(meant), ['port', 'port', 'port', 'list', 'nested', 'mode']);
  assert.deepEqual(['x', 'pt', 'completely', 'p'.repeat(1000)].map(meant), [undefined, undefined, undefined, undefined]);
});

test('the first fault is in the cause, up to four more are in the reason', () => {
  assert.deepEqual(fault(SCHEMA, { port: 'x', mode: 'c' }), [
    'port',
    'type: expected integer, got string; mode: enum: expected one of "a", "b"',
  ]);
  const [field, reason] = fault(
    { type: 'object', additionalProperties: { type: 'string' } },
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, i])),
  );
  assert.equal(field, 'p0');
  assert.equal(reason.split('; ').length, 5);
});

test('what if, then and else demand is reported, not that they demand it', () => {
  const schema = {
    type: 'object',
    if: { required: ['forward'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['allowed'] },
    else: { properties: { port: { type: 'integer' } }, required: ['port'] },
  };
  assert.deepEqual(fault(schema, { forward: true }), ['(root)', "required: property 'allowed' is missing"]);
  assert.deepEqual(fault(schema, { port: 'x' }), ['port', 'type: expected integer, got string']);
});

test('of alternatives that all fail, the one that came nearest is quoted', () => {
  const v4 = { type: 'object', properties: { from: { format: 'ipv4' } } };
  const schema = {
    type: 'object',
    properties: { l: { items: { oneOf: [v4, { type: 'string' }] } }, any: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  };
  assert.deepEqual(fault(schema, { l: [{ from: 'x' }] }), [
    'l.0',
    "oneOf: expected a match with exactly one of 2 alternatives (closest: l.0.from: format: expected text of the format 'ipv4')",
  ]);
  assert.deepEqual(fault(schema, { any: 1 }), [
    'any',
    'anyOf: expected a match with one of 2 alternatives (closest: type: expected string, got number)',
  ]);
  assert.deepEqual(fault({ type: 'object', oneOf: [{}, { required: ['a'] }, {}] }, {}), [
    '(root)',
    'oneOf: matches alternatives 0 and 2 of 3, expected exactly one',
  ]);
});

test('every keyword has words of its own', () => {
  const a = (schema: unknown) => ({ type: 'object', properties: { a: schema } });
  const faults: readonly (readonly [schema: unknown, data: unknown, field: string, reason: string])[] = [
    [a({ multipleOf: 2 }), { a: 3 }, 'a', 'multipleOf: expected a multiple of 2'],
    [a({ exclusiveMinimum: 2 }), { a: 2 }, 'a', 'exclusiveMinimum: expected a number > 2'],
    [a({ exclusiveMaximum: 2 }), { a: 2 }, 'a', 'exclusiveMaximum: expected a number < 2'],
    [a({ maxLength: 2 }), { a: 'abc' }, 'a', 'maxLength: expected at most 2 characters'],
    [a({ pattern: '^x$' }), { a: 'y' }, 'a', "pattern: expected text that matches '^x$'"],
    [a({ maxItems: 1 }), { a: [1, 2] }, 'a', 'maxItems: expected at most 1 items'],
    [a({ items: [{}], additionalItems: false }), { a: [1, 2] }, 'a', 'additionalItems: expected at most 1 items'],
    [{ ...DRAFT_2020, properties: { a: { prefixItems: [{}], items: false } } }, { a: [1, 2] }, 'a', 'items: expected at most 1 items'],
    [
      { ...DRAFT_2020, properties: { a: { prefixItems: [{}], unevaluatedItems: false } } },
      { a: [1, 2] },
      'a',
      'unevaluatedItems: expected at most 1 items',
    ],
    [
      { ...DRAFT_2020, properties: { a: {} }, unevaluatedProperties: false },
      { a: 1, aa: 1 },
      '(root)',
      "unevaluatedProperties: unknown property 'aa'",
    ],
    [
      { ...DRAFT_2020, dependentRequired: { a: ['b'] } },
      { a: 1 },
      '(root)',
      "dependentRequired: property 'b' is missing, which 'a' requires",
    ],
    [{ type: 'object', dependencies: { a: ['b'] } }, { a: 1 }, '(root)', "dependencies: property 'b' is missing, which 'a' requires"],
    [a({ contains: { const: 1 } }), { a: [2] }, 'a', 'contains: expected at least 1 matching items (closest: a.0: const: expected 1)'],
    [{ type: 'object', minProperties: 1 }, {}, '(root)', 'minProperties: expected at least 1 properties'],
    [
      { type: 'object', propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '(root)',
      "propertyNames: property name 'ab' is not allowed (closest: property name 'ab': maxLength: expected at most 1 characters)",
    ],
    [a({ not: { type: 'string' } }), { a: 'x' }, 'a', 'not: must not match {"type":"string"}'],
    [a(false), { a: 1 }, 'a', 'not: no value is allowed here'],
    [a({ type: ['string', 'null'] }), { a: [] }, 'a', 'type: expected string or null, got array'],
  ];
  for (const [schema, data, field, reason] of faults) assert.deepEqual(fault(schema, data), [field, reason]);
});

test('names with dots, slashes and tildes come through', () => {
  assert.equal(fault({ type: 'object', additionalProperties: { type: 'string' } }, { 'a/b~c.d': 1 })[0], 'a/b~c.d');
});

test('a reason never shows the value', () => {
  const secret = 'hunter2hunter2';
  const keywords = [
    { type: 'integer' },
    { enum: [1] },
    { const: 1 },
    { pattern: '^$' },
    { format: 'ipv4' },
    { maxLength: 1 },
    { not: {} },
    { anyOf: [{ const: 1 }] },
  ];
  for (const keyword of keywords) assert.ok(!fault({ type: 'object', properties: { a: keyword } }, { a: secret })[1].includes(secret));
});

test('a value of the wrong type is not told about anything else', () => {
  assert.deepEqual(
    compileSchema({ type: 'object', properties: { a: { type: 'string', not: { pattern: '^$' }, enum: ['x'] } } })({ a: 1 }).map(
      ({ reason }) => reason,
    ),
    ['type: expected string, got number'],
  );
});
