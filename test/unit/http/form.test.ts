import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from '../../../src/http/query-string.ts';

test('a form is texts by name, with a list for a name that is repeated', () => {
  assert.deepEqual(formOf('a=1&b=x+y%26z&a=2&empty=&bare&&é=%C3%A9', 100), { a: ['1', '2'], b: 'x y&z', empty: '', bare: '', é: 'é' });
  assert.deepEqual(formOf('', 100), {});
});

test('a form with more fields than may be, or with a malformed escape, is refused', () => {
  assert.equal(formOf('a&b&c', 2), 'tooMany');
  for (const text of ['a=%', 'a=%zz', '%ff=a']) assert.equal(formOf(text, 2), 'malformed', text);
});

test('the name of a field reaches no prototype', () => {
  const form = formOf('__proto__=x&constructor=y', 100);
  assert.deepEqual(Object.entries(form), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  assert.equal(Object.getPrototypeOf(form), Object.prototype);
});
