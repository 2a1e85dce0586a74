import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareText } from '../../../src/query/index.ts';
import { emptyBitSet, setBit } from '../../../src/store/indexes/bit-set.ts';
import { Numbering } from '../../../src/store/indexes/numbering.ts';

/** Ids beyond the basic plane sort otherwise by UTF-16 units. */
const id = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '0', '\uff5e', '\u{1f600}'), minLength: 1, maxLength: 4 });

test('a page is in order of id, whenever its ids came', () => {
  const property = fc.property(
    fc.uniqueArray(id, { maxLength: 30 }),
    fc.uniqueArray(id, { maxLength: 30 }),
    fc.nat(20),
    fc.nat(20),
    fc.func(fc.boolean()),
    (first, later, offset, limit, isMember) => {
      const numbering = new Numbering();
      for (const each of [...first.toSorted(compareText), ...later]) numbering.assign(each);
      const all = [...new Set([...first, ...later])];
      assert.equal(numbering.width, all.length);
      assert.equal(new Set(all.map((each) => numbering.numberOf(each))).size, all.length);
      const members = all.filter((each) => isMember(each)).toSorted(compareText);
      const bits = emptyBitSet(numbering.width);
      for (const each of members) setBit(bits, numbering.assign(each));
      assert.deepEqual(numbering.page(bits, offset, limit), members.slice(offset, offset + limit));
      assert.deepEqual(numbering.page(bits, 0, Infinity), members);
    },
  );
  fc.assert(property);
});

test('an id that it does not know has no number', () => {
  const numbering = new Numbering();
  assert.equal(numbering.numberOf('a'), undefined);
  numbering.assign('b');
  assert.deepEqual([numbering.numberOf('a'), numbering.numberOf('b'), numbering.numberOf('c')], [undefined, 0, undefined]);
});
