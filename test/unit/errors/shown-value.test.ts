import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownValue } from '../../../src/contract/errors/shown-value.ts';

test('values are shown in the form that clients know, sorted by name', () => {
  const value = { b: [1, true, null, 'x y'], a: {} };
  assert.equal(shownValue('field', value), 'map[a:map[] b:[1 true <nil> x y]]');
  assert.equal(shownValue('field', undefined), '<nil>');
});

test('four levels, 32 members and 256 characters are shown at most', () => {
  assert.equal(shownValue('field', { a: { b: { c: { d: { e: 1 } } } } }), 'map[a:map[b:map[c:map[d:…]]]]');
  const list = Array.from({ length: 40 }, (_, i) => i % 10);
  assert.equal(shownValue('field', list), `[${list.slice(0, 32).join(' ')}]`);
  const long = shownValue('field', 'x'.repeat(1000));
  assert.deepEqual([long.length, long.at(-1)], [256, '…']);
  assert.equal(shownValue('field', 'x'.repeat(256)), 'x'.repeat(256));
});

test('what may be a secret is hidden, by its name or by its form', () => {
  for (const [field, value] of [
    ['password', 'swordfish'],
    ['newPassword', 'swordfish'],
    ['certPem', 'anything'],
    ['field', '-----BEGIN PRIVATE KEY-----'],
    ['field', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.AAAA'],
    ['field', 'https://ann:swordfish@issuer.example/'],
  ])
    assert.equal(shownValue(field ?? '', value), '***', field);
  assert.equal(shownValue('field', { password: 'swordfish', name: 'ann' }), 'map[name:ann password:***]');
});
