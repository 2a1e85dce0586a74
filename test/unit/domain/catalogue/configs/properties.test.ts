import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { compileSchema } from '../../../../../src/access/configs/schema.ts';
import { refuseViolations } from '../../../../../src/access/configs/violations.ts';
import { ApiError } from '../../../../../src/contract/errors/index.ts';
import { DRAFT_2020 } from './ask.ts';
import { object, schemas } from './generated.ts';

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
