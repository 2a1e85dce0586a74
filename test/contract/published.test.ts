import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { differences, explanationOf, lacking, unusedExplanations } from './differences.ts';
import { ANY_OF_TYPE, type FieldSchema, fieldsOfSchema } from './fields-of.ts';
import { deviations, isImplemented, publishedOperations } from './published.ts';

const PREFIXES = { management: '/edge/management/v1', client: '/edge/client/v1', fabric: '/fabric/v1' } as const;

test('every published operation is implemented under its id, or stands among the deviations with a reason', () => {
  const missing = publishedOperations.filter((each) => !isImplemented(each)).map(({ api, operationId }) => `${api} ${operationId}`);
  const listed = Object.entries(deviations).flatMap(([api, ids]) => Object.keys(ids).map((id) => `${api} ${id}`));
  assert.deepEqual(missing.toSorted(), listed.toSorted());
});

test('every published parameter, field and value of an enumeration is described, or left out for a reason', () => {
  assert.deepEqual(
    differences
      .filter((each) => !explanationOf(each))
      .map(({ api, operationId, part, lacks }) => `${api} ${operationId}: ${part} ${lacks}`),
    [],
  );
});

test('each reason explains something that is left out', () => {
  assert.deepEqual(
    unusedExplanations().map(({ why }) => why),
    [],
  );
});

test('a description that lacks a field, a value or a parameter differs', () => {
  const table = (schema: FieldSchema) => [...fieldsOfSchema(schema, {})].map(([path, values]) => [path, ...values]);
  const schema: FieldSchema = {
    type: 'object',
    properties: { type: { enum: ['Dial', 'Bind'] }, roles: { type: 'array', items: { type: 'string' } } },
  };
  assert.deepEqual(table(schema), [
    ['', ANY_OF_TYPE],
    ['type', 'Dial', 'Bind'],
    ['roles', ANY_OF_TYPE],
    ['roles[]', ANY_OF_TYPE],
  ]);
  const own: FieldSchema = { type: 'object', properties: { type: { enum: ['Dial'] } } };
  assert.deepEqual(lacking(fieldsOfSchema(schema, {}), fieldsOfSchema(own, {})), ['roles', 'type=Bind']);
});

onEveryStore('published operations', (open) => {
  test('what is left out is not found, or no method of its path, for administrators too', async () => {
    await using app = await open();
    for (const { api, operationId, method, path } of publishedOperations.filter((each) => !isImplemented(each))) {
      const { status } = await app.request(method, `${PREFIXES[api]}${path.replaceAll(/\{[^}]*\}/g, 'an-id')}`, { body: {} });
      assert.ok([404, 405].includes(status), `${operationId}: ${status}`);
    }
  });
});
