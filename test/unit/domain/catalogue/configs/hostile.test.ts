import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtinConfigTypes } from '../../../../../src/access/configs/builtin.ts';
import { compileSchema } from '../../../../../src/access/configs/schema.ts';
import { processorTime } from '../../../../support/processor-time.ts';
import { accepts, DRAFT_2020, fault, refusal } from './ask.ts';

/** Milliseconds of processor time. Generous, for slow machines: what is not bounded takes minutes or memory without end. */
const SOON = 30_000;
const TOO_LONG = 'takes too long to validate against the schema of the config type';

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const named = (count: number, make: (i: number) => unknown) => Object.fromEntries(times(count, (i) => [`p${i}`, make(i)]));
const nest = (levels: number, wrap: (inner: unknown) => unknown, leaf: unknown = {}) =>
  times(levels, () => 0).reduce((inner: unknown) => wrap(inner), leaf);
const list = (items: unknown) => ({ type: 'object', properties: { l: items } });

describe('a schema is refused when it', () => {
  const schemas: Readonly<Record<string, readonly [schema: unknown, reason: RegExp]>> = {
    'is too long': [{ type: 'object', description: 'x'.repeat(65_536) }, /must not be longer than 65536 bytes as JSON/],
    'is too long in bytes': [{ type: 'object', description: 'é'.repeat(33_000) }, /must not be longer than 65536 bytes as JSON/],
    'is nested too deeply': [{ type: 'object', not: nest(40, (not) => ({ not })) }, /must not be nested more than 32 levels deep/],
    'holds itself': [
      Object.assign(
        { type: 'object' },
        {
          get not() {
            return this;
          },
        },
      ),
      /must not be nested more than 32 levels deep/,
    ],
    'has too many values': [{ type: 'object', enum: times(70_000, () => 0) }, /must not contain more than 65536 values/],
    'has too many subschemas': [{ type: 'object', properties: named(1000, () => ({})) }, /must not have more than 1000 subschemas/],
    'refers to itself': [{ ...DRAFT_2020, $ref: '#' }, /refers to itself without descending into/],
    'refers to itself in draft-07': [{ type: 'object', $ref: '#' }, /refers to itself without descending into/],
    'refers to itself by way of others': [
      {
        type: 'object',
        allOf: [{ $ref: '#/definitions/a' }],
        definitions: { a: { anyOf: [{ $ref: '#/definitions/b' }] }, b: { else: { $ref: '#/definitions/a' } } },
      },
      /refers to itself/,
    ],
    'has definitions that go round unused': [
      { type: 'object', definitions: { a: { not: { $ref: '#/definitions/a' } } } },
      /refers to itself/,
    ],
    'refers to itself dynamically': [{ ...DRAFT_2020, $dynamicAnchor: 'n', not: { $dynamicRef: '#n' } }, /refers to itself/],
    'doubles at every definition': [
      {
        type: 'object',
        allOf: [{ $ref: '#/definitions/p0' }],
        definitions: {
          ...named(40, (i) => ({ allOf: [{ $ref: `#/definitions/p${i + 1}` }, { $ref: `#/definitions/p${i + 1}` }] })),
          p40: {},
        },
      },
      /unfolds to more than 10000 subschemas/,
    ],
    'has a pattern that is too long': [
      { type: 'object', properties: { a: { pattern: 'a'.repeat(1025) } } },
      /must not be longer than 1024 characters/,
    ],
    'repeats too much in a pattern': [
      { type: 'object', properties: { a: { pattern: 'a{1000}'.repeat(100) } } },
      /patterns take too long to compile/,
    ],
    'repeats too much in many patterns': [
      { type: 'object', properties: named(500, (i) => ({ pattern: `a{999}b${i}` })) },
      /patterns take too long to compile/,
    ],
    'has too many classes of letters': [
      { type: 'object', properties: named(50, (i) => ({ pattern: `(?i)${'[\\pL]'.repeat(100)}${i}` })) },
      /patterns take too long to compile/,
    ],
  };
  for (const [name, [schema, reason]] of Object.entries(schemas))
    test(name, () => assert.ok(processorTime(() => assert.match(refusal(schema), reason)) < SOON));
});

test('a chain of hundreds of definitions is followed', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/definitions/p0' } },
    definitions: { ...named(480, (i) => ({ items: { $ref: `#/definitions/p${i + 1}` } })), p480: {}, p60: { type: 'integer' } },
  };
  assert.ok(accepts(schema, { a: nest(60, (a) => [a], 1) }));
  assert.ok(!accepts(schema, { a: nest(60, (a) => [a], 'x') }));
});

describe('a check ends soon', () => {
  const cases: Readonly<Record<string, readonly [schema: unknown, data: unknown]>> = {
    'on recursion that multiplies through items': [
      { ...list({ $ref: '#/definitions/x' }), definitions: { x: { allOf: times(9, () => ({ items: { $ref: '#/definitions/x' } })) } } },
      { l: nest(60, (l) => [l]) },
    ],
    'on uniqueItems at every level': [
      { ...list({ $ref: '#/definitions/u' }), definitions: { u: { uniqueItems: true, items: { $ref: '#/definitions/u' } } } },
      {
        l: nest(
          60,
          (l) => [l],
          times(100_000, (i) => i),
        ),
      },
    ],
    'on many subschemas for each of many items': [
      list({ items: { allOf: times(900, (i) => ({ minimum: -i })) } }),
      { l: times(100_000, (i) => i) },
    ],
    'on many alternatives for each of many items': [
      list({ items: { anyOf: times(900, (i) => ({ minimum: 1e6 + i })) } }),
      { l: times(100_000, (i) => i) },
    ],
    'on long enumerations': [list({ items: { not: { enum: times(10_000, (i) => i) } } }), { l: times(200_000, (i) => -1 - i) }],
    'on many required names': [list({ items: { not: { required: times(5000, (i) => `r${i}`) } } }), { l: times(100_000, () => ({})) }],
    'on many patterns for many names': [
      { type: 'object', patternProperties: Object.fromEntries(times(900, (i) => [`a{2}b${i}`, {}])) },
      Object.fromEntries(times(50_000, (i) => [`aab${i}`, 1])),
    ],
    'on patterns that need many states': [
      list({ items: { pattern: '([a-z]?[0-9a-z]?){150}[!-/]$' } }),
      { l: times(40, () => 'a1!b'.repeat(5000)) },
    ],
    'on large constants': [
      list({ items: { not: { const: times(10_000, (i) => i) } } }),
      { l: times(50, () => times(10_000, (i) => i).with(9999, -1)) },
    ],
    'on long texts for formats': [list({ items: { not: { format: 'uri' } } }), { l: times(500, () => `http://${'a:@'.repeat(600)}^`) }],
    'on a long chain of references at each level': [
      {
        ...list({ $ref: '#/definitions/p0' }),
        definitions: { ...named(300, (i) => ({ $ref: `#/definitions/p${i + 1}` })), p300: { items: { $ref: '#/definitions/p0' } } },
      },
      { l: nest(60, (l) => [l], 1) },
    ],
    'on contains again and again': [
      list({ allOf: times(300, () => ({ not: { contains: { type: 'string' } } })) }),
      { l: times(300_000, (i) => i) },
    ],
    'on unevaluated properties': [
      { ...DRAFT_2020, unevaluatedProperties: { type: 'integer' }, allOf: times(450, (i) => ({ properties: { [`q${i}`]: {} } })) },
      named(60_000, (i) => i),
    ],
  };
  for (const [name, [schema, data]] of Object.entries(cases)) {
    test(name, () => {
      assert.ok(processorTime(() => compileSchema(schema)(data)) < SOON);
    });
  }
});

test('a check that would take too long is soon refused as a fault of the data, and the schema still checks', () => {
  const doubling = {
    type: 'object',
    properties: { a: { $ref: '#' } },
    allOf: [{ properties: { a: { $ref: '#' } } }],
    additionalProperties: false,
  };
  const nested = (levels: number) => nest(levels, (a) => ({ a }));
  assert.ok(accepts(doubling, nested(10)));
  assert.ok(processorTime(() => assert.deepEqual(fault(doubling, nested(60)), ['(root)', TOO_LONG])) < SOON);
  assert.ok(accepts(doubling, { a: {} }));
  assert.deepEqual(fault(doubling, { a: { b: 1 } })[0], 'a');
});

test('patterns that keep other engines busy for years do no harm', () => {
  const text = 'x'.repeat(500_000);
  for (const pattern of ['(x+x+)+y', '(x*)*$y', '^(x|xx|xxx)*y']) assert.equal(fault(list({ pattern }), { l: text })[0], 'l');
});

test('many faults make no long answer and no long check', () => {
  const items = times(200_000, () => ({ wrong: 'x'.repeat(3) }));
  const schema = list({ items: { required: ['a', 'b', 'c'], additionalProperties: false } });
  assert.ok(processorTime(() => assert.equal(fault(schema, { l: items })[0], 'l.0')) < SOON);
});

test('data that is nested too deeply, or holds itself, is refused', () => {
  const round: Record<string, unknown> = {};
  round.a = round;
  for (const data of [nest(70, (a) => ({ a })), round])
    assert.deepEqual(fault({ type: 'object' }, data), ['(root)', 'must not be nested more than 64 levels deep']);
});

test('an intercept config of 1 MiB is accepted', () => {
  const intercept = builtinConfigTypes.find(({ name }) => name === 'intercept.v1')?.schema;
  const addresses = times(70_000, (i) => `a${i}.example`);
  assert.ok(accepts(intercept, { protocols: ['tcp'], addresses, portRanges: [{ low: 1, high: 2 }] }));
});
