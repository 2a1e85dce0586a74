import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idPattern } from '../../../src/fabric/view/id-pattern.ts';

const finds = (pattern: string, id: string): boolean => idPattern('appRegex', pattern)(id);

test('an expression is found anywhere in an id, unless it says where', () => {
  for (const pattern of ['', '.*', 'r1', 'fra-r1', '^fra', 'r1$', '^fra-r1$', 'x|r1', 'f.a', 'fr?a', 'fx*ra', 'ra+', '^$|-', '\\-r'])
    assert.ok(finds(pattern, 'fra-r1'), pattern);
  for (const pattern of ['^r1', 'fra$', 'x', 'x|y', 'x+', '\\.', '^$', 'R1', '^fra-r1.$', 'fr+r'])
    assert.ok(!finds(pattern, 'fra-r1'), pattern);
});

test('it finds what the same regular expression finds', () => {
  const term = fc.tuple(fc.constantFrom('a', 'b', '-', '.', '\\.'), fc.constantFrom('', '', '*', '+', '?')).map((parts) => parts.join(''));
  const alternative = fc
    .tuple(fc.constantFrom('', '^'), fc.array(term, { maxLength: 5 }), fc.constantFrom('', '$'))
    .map(([begin, terms, end]) => begin + terms.join('') + end);
  const pattern = fc.array(alternative, { minLength: 1, maxLength: 3 }).map((alternatives) => alternatives.join('|'));
  const id = fc.array(fc.constantFrom('a', 'b', '-', '.'), { maxLength: 8 }).map((characters) => characters.join(''));
  fc.assert(fc.property(pattern, id, (text, of) => assert.equal(finds(text, of), new RegExp(text).test(of))));
});

test('anything else is refused, with the place from which on it is not understood', () => {
  for (const [pattern, place] of Object.entries({
    '(a)': 1,
    'a[b]': 2,
    'a{2}': 2,
    '*': 1,
    'a**': 3,
    'a\\d': 2,
    'a\\': 2,
    a$b: 3,
  }))
    assert.throws(
      () => idPattern('appRegex', pattern),
      { code: 'COULD_NOT_VALIDATE', message: new RegExp(`invalid at character ${place}$`) },
      pattern,
    );
});

test('names and addresses are found by their own characters', () => {
  for (const name of ['Büro 1 (Süd)', 'tls:127.0.0.1:1280', 'a/b@c', '🙂'])
    assert.equal(finds(`^${name.replace(/[!-/:-@[-^`{-~]/g, '\\$&')}$`, name), true, name);
  assert.equal(finds('^B.ro 1', 'Büro 1'), true);
});

test('what would take a regular expression for ever is over at once', () => {
  assert.equal(finds(`^${'a*'.repeat(127)}$`, `${'a'.repeat(60)}b`), false);
});
