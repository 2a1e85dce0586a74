import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accessibleServices } from '../../../src/contract/api/accessible-services.ts';
import { dataAndMeta } from '../../../src/contract/api/surfaces/edge-envelope.ts';
import type { DataAnswer } from '../../../src/contract/api/surfaces/envelope.ts';
import { isLarge, jsonParts } from '../../../src/contract/api/surfaces/json-parts.ts';

const { get, list } = accessibleServices.operations;

const json = fc.letrec((tie) => ({
  any: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined), tie('array'), tie('object')),
  array: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
}));

test('the parts of a value are its JSON text, wherever it is split', () => {
  fc.assert(
    fc.property(fc.oneof(json.array, json.object), fc.func(fc.boolean()), (value, isSplit) => {
      assert.equal([...jsonParts(value as object, new WeakMap(), isSplit)].join(''), JSON.stringify(value));
    }),
    { numRuns: 1000 },
  );
});

/** A service, as its client sees it, of which many policies ask for many posture checks. */
const service = (policies: number, checks: number) => ({
  id: 's',
  postureQueries: Array.from({ length: policies }, (_, i) => ({
    policyId: `p${i}`,
    postureQueries: Array.from({ length: checks }, (_, n) => ({ id: `c${n}`, queryType: 'MAC', isPassing: false })),
  })),
});

test('a value is large by the elements of its arrays, and of the arrays in these', () => {
  assert.deepEqual([service(20, 50), service(1000, 0), service(50, 50), { roles: Array(10_000).fill('#a') }, null, 'text'].map(isLarge), [
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('an entity with very many elements is turned into text part by part, alone and on a page', async () => {
  const data = service(500, 200);
  const pagination = { limit: 10, offset: 0, totalCount: 4 };
  const page = { data: [{ id: 'a' }, data, { ...data, id: 't' }, { id: 'b' }], filterableFields: [], pagination };
  const written = [
    [data, dataAndMeta.write(get.answer as DataAnswer, data)],
    [page.data, dataAndMeta.write(list.answer as DataAnswer, page)],
  ] as const;
  for (const [expected, text] of written) {
    assert.ok(typeof text !== 'string');
    const parts: string[] = [];
    for await (const part of text) parts.push(part);
    assert.deepEqual(JSON.parse(parts.join('')).data, expected);
    for (const part of parts) assert.ok(part.length < 700_000, `${part.length} characters`);
  }
});
