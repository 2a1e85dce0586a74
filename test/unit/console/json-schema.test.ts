/** Schemas of config types in forms: what they describe, and that hostile ones take no time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlOf, type JsonSchema, matches, newValue, resolvedSchema, withProperty } from '../../../console/app/json-schema.ts';

test('references and parts are merged, and a condition counts where the value decides it', () => {
  const root: JsonSchema = {
    properties: { a: { $ref: '#/definitions/port', description: 'Port' } },
    required: ['a'],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    allOf: [{ if: { properties: { on: { const: true } }, required: ['on'] }, then: { required: ['b'] }, else: { required: ['c'] } }],
    ...{ definitions: { port: { type: 'integer', maximum: 9 } } },
  };
  assert.deepEqual(resolvedSchema(root, root, { on: true }).required, ['b', 'a']);
  assert.deepEqual(resolvedSchema(root, root, {}).required, ['c', 'a']);
  assert.deepEqual(resolvedSchema(root, root.properties?.['a'], undefined), { type: 'integer', maximum: 9, description: 'Port' });
  assert.deepEqual(resolvedSchema(root, { $ref: 'https://elsewhere.example/schema' }, undefined), {});
});

test('a value that a control cannot show as it is, is entered as JSON', () => {
  const control = (schema: JsonSchema, value: unknown) => controlOf(schema, schema, value);
  assert.equal(control({ type: 'integer' }, '80'), 'raw');
  assert.equal(control({ enum: ['a', 'b'] }, 'c'), 'raw');
  assert.equal(control({ type: 'array', items: { type: 'string' } }, ['a', 'b']), 'lines');
  assert.equal(control({ type: 'array', items: { type: 'string' } }, ['a\nb']), 'list');
  assert.equal(control({ type: 'array', items: { enum: ['tcp', 'udp'] } }, ['tcp']), 'checks');
  assert.equal(control({ type: 'array', items: { enum: ['tcp', 'udp'] } }, ['tcp', 'tcp']), 'list');
  assert.equal(control({ type: 'array', items: { enum: [{ port: 80 }, { port: 443 }] } }, [{ port: 443 }]), 'checks');
  assert.equal(control({ type: 'array', items: { enum: [{ port: 80 }, { port: 443 }] } }, [{ port: 443 }, { port: 443 }]), 'list');
  assert.equal(control({ type: 'boolean', enum: [true] }, undefined), 'flag');
  assert.equal(control({ type: ['string', 'null'] }, null), 'text');
});

test('schemas that refer to themselves, several times, end soon', () => {
  const many = Array.from({ length: 50 }, () => ({ $ref: '#' }));
  const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
  const hostile: JsonSchema = {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    allOf: many,
    oneOf: many,
    if: { $ref: '#' },
  };
  const deep = JSON.parse(`${'{"p0":'.repeat(500)}{}${'}'.repeat(500)}`) as unknown;
  const began = performance.now();
  resolvedSchema(hostile, hostile, deep);
  matches(hostile, hostile, deep);
  newValue(hostile, hostile);
  assert.ok(performance.now() - began < 5000);
});

test('properties named like members of objects are data', () => {
  const value = JSON.parse('{"__proto__":1,"constructor":2}') as Readonly<Record<string, unknown>>;
  assert.equal(JSON.stringify(withProperty(value, '__proto__', 3)), '{"__proto__":3,"constructor":2}');
  assert.equal(JSON.stringify(withProperty(value, 'constructor', undefined)), '{"__proto__":1}');
  assert.equal(matches({}, { required: ['toString'] }, {}), false);
});
