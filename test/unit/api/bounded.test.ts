import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { list, MAX_FAULTS, mapOf, textUpTo } from '../../../src/contract/api/kit/bounded.ts';
import { EMPTY, operation } from '../../../src/contract/api/kit/operation.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const members = (count: number, value: unknown) => Object.fromEntries(numbers(count).map((i) => [`k${i}`, value]));

/** A schema, and how often a value was held against it. */
const counting = () => {
  let looks = 0;
  const schema = z.unknown().superRefine((value, context) => {
    looks++;
    if (value === 'bad') context.addIssue({ code: 'custom', message: 'bad' });
  });
  return { schema, looks: () => looks };
};

describe('a list', () => {
  test('takes what it is of, up to its bound', () => {
    const schema = list(z.string(), 3);
    assert.deepEqual(schema.parse(['a', 'b', 'c']), ['a', 'b', 'c']);
    assert.deepEqual(schema.parse([]), []);
    for (const wrong of ['a', {}, null, 5, ['a', 1]]) assert.ok(!schema.safeParse(wrong).success);
  });

  test('with more than its bound is refused by its length: no element is looked at', () => {
    const { schema, looks } = counting();
    const [issue, ...others] = list(schema, 3).safeParse(numbers(4)).error?.issues ?? [];
    assert.deepEqual([issue?.code, issue?.path, others, looks()], ['too_big', [], [], 0]);
  });

  test('gives up at the hundredth fault', () => {
    const { schema, looks } = counting();
    assert.equal(list(schema, 1000).safeParse(Array(1000).fill('bad')).error?.issues.length, MAX_FAULTS);
    assert.equal(looks(), MAX_FAULTS);
    const rest = counting();
    const good = [...Array(MAX_FAULTS - 1).fill('bad'), ...Array(900).fill('good')];
    assert.equal(list(rest.schema, 1000).safeParse(good).error?.issues.length, MAX_FAULTS - 1);
    assert.equal(rest.looks(), good.length);
  });

  test('gives up at the hundredth fault in lists of lists', () => {
    const issues = list(list(z.string(), 90), 90).safeParse(Array(90).fill(Array(90).fill(1))).error?.issues ?? [];
    assert.ok(issues.length < 2 * MAX_FAULTS, `${issues.length}`);
    assert.deepEqual(issues[91]?.path, [1, 1]);
  });

  test('keeps its bound with whatever is added', () => {
    const schema = list(z.string(), 2).min(1).meta({ id: 'Few' }).optional();
    assert.ok(schema.safeParse(['a', 'b']).success);
    for (const wrong of [[], ['a', 'b', 'c']]) assert.ok(!schema.safeParse(wrong).success);
    assert.ok(
      !list(z.string(), 2)
        .transform((all) => all.length)
        .safeParse(['a', 'b', 'c']).success,
    );
  });

  test('tells its bound to those who read the schema', () => {
    assert.equal(z.toJSONSchema(list(z.string(), 7)).maxItems, 7);
    assert.equal(z.toJSONSchema(mapOf(z.string(), 7).meta({ description: 'a map' })).maxProperties, 7);
  });
});

describe('a text', () => {
  test('is taken up to its bound, in characters', () => {
    const schema = textUpTo(3);
    for (const good of ['', 'abc', '😀😀😀']) assert.equal(schema.parse(good), good);
    for (const wrong of ['abcd', '😀😀😀😀', 1, null]) assert.ok(!schema.safeParse(wrong).success);
  });

  test('with more than its bound is refused by its length: nothing else is asked of it', () => {
    let looks = 0;
    const schema = textUpTo(3)
      .refine(() => ++looks > 0)
      .transform((text) => text + ++looks);
    const issues = schema.safeParse('abcd').error?.issues ?? [];
    assert.deepEqual([issues.map(({ code }) => code), looks], [['too_big'], 0]);
    assert.equal(schema.parse('abc'), 'abc2');
  });

  test('tells its bound to those who read the schema', () => {
    assert.equal(z.toJSONSchema(textUpTo(7).min(1)).maxLength, 7);
  });
});

describe('a map', () => {
  test('takes what it is of, up to its bound', () => {
    const schema = mapOf(z.int(), 3);
    assert.deepEqual(schema.parse(members(3, 1)), members(3, 1));
    for (const wrong of ['a', [], null, members(1, 'x')]) assert.ok(!schema.safeParse(wrong).success);
  });

  test('with more than its bound is refused by their number: no value is looked at', () => {
    const { schema, looks } = counting();
    const [issue, ...others] = mapOf(schema, 3).safeParse(members(4, 1)).error?.issues ?? [];
    assert.deepEqual([issue?.code, issue?.path, others, looks()], ['too_big', [], [], 0]);
  });

  test('gives up at the hundredth fault', () => {
    const { schema, looks } = counting();
    assert.equal(mapOf(schema, 1000).safeParse(members(1000, 'bad')).error?.issues.length, MAX_FAULTS);
    assert.equal(looks(), MAX_FAULTS);
  });

  test('refuses a key that would be a prototype', () => {
    const { error } = mapOf(z.unknown(), 3).safeParse(JSON.parse('{"__proto__":{"isAdmin":true},"a":1}'));
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ['must not have the key __proto__'],
    );
  });
});

describe('an operation', () => {
  const declare = (schema: z.ZodType, query?: z.ZodObject) =>
    operation('POST', '/things', {
      operationId: 'createThing',
      summary: 'Create',
      permission: 'open',
      body: { schema, name: 'thing' },
      ...(query ? { query } : {}),
      answer: EMPTY,
    });

  test('takes no text, no list and no map without a bound, however deep it stands', () => {
    const text = textUpTo(5);
    const array = z.array(text);
    const record = z.record(text, text);
    const hidden: readonly z.ZodType[] = [
      z.string(),
      z.string().min(1).optional(),
      z.iso.datetime(),
      list(z.string(), 5),
      mapOf(z.string(), 5),
      z.object({ a: z.object({ b: z.string() }) }),
      array,
      record,
      array.max(5),
      z.object({ a: array.optional() }),
      z.object({ a: z.object({ b: record.nullable() }) }),
      list(array, 5),
      mapOf(record, 5),
      z.union([text, array]),
      z.discriminatedUnion('is', [z.object({ is: z.literal('a') }), z.object({ is: z.literal('b'), all: array })]),
      array.transform((all) => all.length),
      z.preprocess((value) => value, array),
      z.unknown().pipe(array),
      z.object({ a: array.default([]).readonly() }),
      z.set(text),
      z.map(text, text),
      z.looseObject({}),
      z.object({}).catchall(text),
      z.lazy(() => array),
    ];
    for (const schema of hidden) assert.throws(() => declare(schema), { name: 'TypeError', message: /POST \/things/ }, schema.def.type);
    assert.throws(() => declare(text, z.object({ roleFilter: array })), { name: 'TypeError', message: /roleFilter/ });
  });

  test('takes texts, lists and maps of the kit, and what others bound by themselves', () => {
    const text = textUpTo(5);
    const bounded = z.object({ a: list(z.object({ b: mapOf(list(text.min(1), 1), 2) }), 3).optional() });
    const other = z.record(z.string(), text).meta({ maxProperties: 9 });
    for (const schema of [bounded, other, z.preprocess((value) => value, bounded), z.object({}), z.unknown()]) assert.ok(declare(schema));
  });
});
