/** Data and schemas at random, of a few names and values, so that they often meet. */
import fc from 'fast-check';

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
export const object = fc.dictionary(name, data, { maxKeys: 3, noNullPrototype: true });

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
export const schemas = (draft2020: boolean) => {
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
      // With `minItems` (and below without 1), for the reference takes an empty list for a match after another list that is one.
      fc.record({ contains: one, minItems: fc.constant(1) }),
      fc.record({ properties: fc.record({ a: fc.record({ $ref: fc.constantFrom('#', '#/definitions/d0', '#/definitions/d1') }) }) }),
      fc.record({ items: fc.record({ $ref: fc.constantFrom('#', '#/definitions/d0') }) }),
    ];
    const own = draft2020
      ? [
          fc.record({ prefixItems: some, items: one }),
          fc.record({ dependentSchemas: byName }),
          fc.record({ properties: byName, unevaluatedProperties: one }),
          fc.record({ prefixItems: some, unevaluatedItems: one }),
          fc.record({ contains: one, minContains: fc.constantFrom(0, 2, 3) }),
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
