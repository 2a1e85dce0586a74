import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPointer, valueAtPointer } from '../../../src/query/json-pointer.ts';

/** The examples of RFC 6901, section 5. */
const document = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'c%d': 2, 'e^f': 3, 'g|h': 4, 'i\\j': 5, 'k"l': 6, ' ': 7, 'm~n': 8 };

test('a pointer leads where RFC 6901 says', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ];
  for (const [pointer, value] of cases) assert.deepEqual(valueAtPointer(document, readPointer(pointer) ?? []), value, pointer);
});

test('it leads nowhere where there is nothing, and never to what objects inherit', () => {
  for (const pointer of ['/nothing', '/foo/2', '/foo/-', '/foo/01', '/foo/length', '/foo/0/0', '/constructor', '/__proto__', '/toString'])
    assert.equal(valueAtPointer(document, readPointer(pointer) ?? []), undefined, pointer);
});

test('a text without a leading slash, or with a tilde that escapes nothing, is not a pointer', () => {
  for (const text of ['', 'foo', '/a~', '/a~2', '~1']) assert.equal(readPointer(text), undefined, text);
});

test('~01 stands for ~1', () => {
  assert.deepEqual(readPointer('/~01'), ['~1']);
});
