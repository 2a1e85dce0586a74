import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { compileSchema } from '../../../../src/domain/configs/schema.ts';
import { refuseViolations } from '../../../../src/domain/configs/violations.ts';
import { ApiError } from '../../../../src/errors/index.ts';
import { DRAFT_2020 } from './ask.ts';

const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const value = fc.oneof(fc.constantFrom(null, true, 0, 1, 2.5, 'a', 'abc', ''), fc.array(fc.constantFrom(1, 1, 2, 'a'), { maxLength: 4 }));
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { maxDepth: 3 },
    value,
    fc.dictionary(name, tie('data'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('data'), { maxLength: 3 }),
  ),
}));
const object = fc.dictionary(name, data, { maxKeys: 3, noNullPrototype: true });

const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const assertion = fc.oneof(
  fc.record({ type }),
  fc.record({ type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }) }),
  fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }) }),
  fc.record({ const: value }),
  fc.record({ minimum: count, maximum: count }),
  fc.record({ exclusiveMinimum: count, multipleOf: fc.constantFrom(1, 2, 0.5) }),
  fc.record({ minLength: count, maxLength: count }),
  fc.record({ pattern: fc.constantFrom('a', '^a*$', '[b-c]') }),
  fc.record({ minItems: count, uniqueItems: fc.boolean() }),
  fc.record({ minProperties: count, maxProperties: count }),
  fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
);
/** Schemas of every applicator, with references to three definitions that only refer into properties and items. */
const schemas = (draft2020: boolean) => {
  const { schema } = fc.letrec((tie) => {
    const one = tie('schema');
    const some = fc.array(one, { minLength: 1, maxLength: 2 });
    const byName = fc.dictionary(name, one, { maxKeys: 2 });
    const common = [
      fc.record({ allOf: some }),
      fc.record({ anyOf: some }),
      fc.record({ oneOf: some }),
      fc.record({ not: one }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      fc.record({ if: one, then: one, else: one }),
      fc.record({ properties: byName, additionalProperties: one }),
      fc.record({ properties: byName }),
      fc.record({ patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), one, { maxKeys: 2 }) }),
      fc.record({ propertyNames: one }),
      fc.record({ items: one }),
      fc.record({ contains: one }),
      fc.record({ properties: fc.record({ a: fc.record({ $ref: fc.constantFrom('#', '#/definitions/d0', '#/definitions/d1') }) }) }),
      fc.record({ items: fc.record({ $ref: fc.constantFrom('#', '#/definitions/d0') }) }),
    ];
    const own = draft2020
      ? [
          fc.record({ prefixItems: some, items: one }),
          fc.record({ dependentSchemas: byName }),
          fc.record({ properties: byName, unevaluatedProperties: one }),
          fc.record({ prefixItems: some, unevaluatedItems: one }),
          fc.record({ contains: one, minContains: count }),
        ]
      : [
          fc.record({ items: some, additionalItems: one }),
          fc.record({ dependencies: fc.dictionary(name, fc.oneof(one, fc.uniqueArray(name, { maxLength: 2 })), { maxKeys: 2 }) }),
        ];
    return { schema: fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, assertion, fc.boolean(), ...common, ...own) };
  });
  const definition = schema.filter((given) => typeof given === 'object');
  return fc.tuple(definition, definition, definition).map(([root, d0, d1]) => ({ allOf: [root], definitions: { d0, d1 }, type: 'object' }));
};

for (const [draft, Reference] of [
  ['draft-07', Ajv],
  ['2020-12', Ajv2020],
] as const) {
  test(`data is accepted if and only if the validator accepts it without our bounds (${draft})`, () => {
    fc.assert(
      fc.property(schemas(draft === '2020-12'), fc.array(object, { minLength: 3, maxLength: 5 }), (schema, all) => {
        const check = compileSchema(draft === '2020-12' ? { ...schema, ...DRAFT_2020 } : schema);
        const expected = new Reference({ strict: false, ownProperties: true, logger: false, meta: false, validateSchema: false }).compile(
          schema,
        );
        for (const one of all) assert.equal(check(one).length === 0, expected(one), JSON.stringify(one));
      }),
      { numRuns: 300 },
    );
  });
}

const keyword = fc.constantFrom(
  'type',
  'properties',
  'items',
  'allOf',
  'anyOf',
  'not',
  'if',
  'then',
  '$ref',
  '$id',
  '$anchor',
  '$dynamicRef',
  'definitions',
  '$defs',
  'required',
  'enum',
  'pattern',
  'patternProperties',
  'format',
  'dependencies',
  'prefixItems',
  'uniqueItems',
  'minimum',
  'additionalProperties',
  '__proto__',
  'constructor',
);
const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom('object', 'string', '#', '#/definitions/a', '#/properties', '(', '(?=x)', 'a{9}', 'ipv4', true, false),
);
const { junk } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(fc.oneof(keyword, fc.string({ maxLength: 3 })), tie('junk'), { maxKeys: 4 }),
    fc.array(tie('junk'), { maxLength: 3 }),
  ),
}));

test('whatever schema and data are, nothing but an ApiError is thrown', () => {
  let compiled = 0;
  fc.assert(
    fc.property(fc.dictionary(keyword, junk, { maxKeys: 4 }), fc.boolean(), fc.jsonValue(), (schema, draft2020, value) => {
      try {
        const check = compileSchema({ ...schema, ...(draft2020 ? DRAFT_2020 : { type: 'object' }) });
        compiled++;
        refuseViolations(check(value));
      } catch (error) {
        assert.ok(error instanceof ApiError, `${error instanceof Error ? error.stack : error}`);
        assert.equal(error.status, 400);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(compiled > 100, `only ${compiled} schemas compiled`);
});
