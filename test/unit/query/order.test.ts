import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparator, compareText } from '../../../src/query/index.ts';
import { arbitraryRow, arbitrarySort, arbitraryText } from '../../support/filters.ts';
import { anyText } from '../../support/texts.ts';

const bytes = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
const text = fc.oneof(
  arbitraryText(),
  anyText(),
  fc
    .array(fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '😀', '😁'), { maxLength: 5 })
    .map((units) => units.join('')),
);

test('text is ordered as its UTF-8 bytes are', () => {
  fc.assert(
    fc.property(text, text, (a, b) => assert.equal(compareText(a, b), bytes(a, b))),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(text, text, text, (prefix, a, b) => assert.equal(compareText(prefix + a, prefix + b), bytes(prefix + a, prefix + b))),
    { numRuns: 2000 },
  );
  assert.equal(compareText('\uFF5E', '😀'), -1);
});

test('rows are totally ordered by any sort', () => {
  fc.assert(
    fc.property(arbitrarySort(), arbitraryRow(), arbitraryRow(), arbitraryRow(), (sort, a, b, c) => {
      const compare = comparator(sort);
      assert.equal(Math.sign(compare(a, b)), -Math.sign(compare(b, a)) || 0);
      assert.equal(compare(a, a), 0);
      assert.equal(compare(a, b) === 0, a.id === b.id && sort.every((key) => comparator([key])(a, { ...b, id: a.id }) === 0));
      if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0);
    }),
    { numRuns: 2000 },
  );
});

test('the first key that differs decides, as a plain reading of the rules does', () => {
  // Null first, then false, true; numbers by value; text by bytes.
  const rank = (value: unknown): number => (value === null || value === undefined ? 0 : 1);
  const plain = (a: unknown, b: unknown): number =>
    rank(a) !== rank(b) || rank(a) === 0
      ? rank(a) - rank(b)
      : typeof a === 'string'
        ? bytes(a, String(b))
        : Math.sign(Number(a) - Number(b));
  const read = (row: Readonly<Record<string, unknown>>, path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], row); // every step of the sample's paths is an object or missing
  fc.assert(
    fc.property(arbitrarySort(), arbitraryRow(), arbitraryRow(), (sort, a, b) => {
      const decisive = [
        ...sort.map(({ field, descending }) => plain(read(a, field.path), read(b, field.path)) * (descending ? -1 : 1)),
        plain(a.id, b.id),
      ].find((order) => order !== 0);
      assert.equal(Math.sign(comparator(sort)(a, b)), Math.sign(decisive ?? 0));
    }),
    { numRuns: 2000 },
  );
});
