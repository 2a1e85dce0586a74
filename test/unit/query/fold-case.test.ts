import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldCase } from '../../../src/query/fold-case.ts';

test('case does not count, in ASCII and beyond', () => {
  assert.equal(foldCase('Ann.ÖZ@Example.COM'), 'ann.öz@example.com');
  assert.equal(foldCase('ΣΩ'), foldCase('σω'));
});

test('no letter outside of ASCII is taken for one of ASCII', () => {
  for (const [letter, alike] of [
    ['\u212a', 'k'],
    ['\u0130', 'i'],
    ['\u0131', 'i'],
    ['\u017f', 's'],
    ['\uff21', 'a'],
  ] as const)
    assert.notEqual(foldCase(letter), alike);
  for (let point = 0x80; point <= 0x1ffff; point++)
    if (point < 0xd800 || point > 0xdfff) assert.match(foldCase(String.fromCodePoint(point)), /^[^\0-\x7f]/);
});

test('a text is as long as it was, or shorter, and stays the same when it is folded again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const folded = foldCase(text);
      assert.equal(foldCase(folded), folded);
      assert.ok(Buffer.byteLength(folded) <= Buffer.byteLength(text));
    }),
  );
  assert.equal(foldCase('Ⱥ'), 'Ⱥ');
});
