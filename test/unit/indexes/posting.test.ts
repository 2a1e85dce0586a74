import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BitSet, countBits, emptyBitSet, hasBit, nextBit } from '../../../src/store/indexes/bit-set.ts';
import { Posting } from '../../../src/store/indexes/posting.ts';

const WIDTH = 300;
const NUMBERS = Array.from({ length: WIDTH }, (_, i) => i);

/** What a posting adds to an empty set. */
const numbersOf = (posting: Posting, width = WIDTH): readonly number[] => {
  const bits = emptyBitSet(width);
  posting.uniteInto(bits);
  return elementsOf(bits);
};

const elementsOf = (bits: BitSet): readonly number[] => {
  const numbers = [];
  for (let number = nextBit(bits, 0); number !== -1; number = nextBit(bits, number + 1)) numbers.push(number);
  assert.equal(countBits(bits), numbers.length);
  return numbers;
};

test('a posting holds the numbers that were added and not removed, few or many', () => {
  const steps = fc.array(fc.record({ number: fc.nat(WIDTH - 1), isAdded: fc.boolean() }), { maxLength: 200 });
  const property = fc.property(steps, fc.uniqueArray(fc.nat(WIDTH - 1), { maxLength: 60 }), (random, others) => {
    const posting = new Posting();
    const model = new Set<number>();
    for (const { number, isAdded } of random) {
      if (isAdded) posting.add(number, WIDTH);
      else posting.remove(number);
      if (isAdded) model.add(number);
      else model.delete(number);
    }
    assert.equal(posting.size, model.size);
    const sorted = [...model].toSorted((a, b) => a - b);
    assert.deepEqual(numbersOf(posting), sorted);
    const visited: number[] = [];
    posting.forEach((number) => {
      visited.push(number);
    });
    assert.deepEqual(visited, sorted);
    const even = emptyBitSet(WIDTH).fill(0x55555555);
    posting.intersectInto(even);
    assert.deepEqual(
      elementsOf(even),
      sorted.filter((number) => number % 2 === 0),
    );
    const missing = emptyBitSet(WIDTH).fill(0xffffffff);
    posting.subtractFrom(missing);
    assert.ok(NUMBERS.every((i) => hasBit(missing, i) !== model.has(i) && posting.has(i) === model.has(i)));
    const other = new Posting();
    for (const number of others) other.add(number, WIDTH);
    const shared = emptyBitSet(WIDTH);
    posting.uniteCommonInto(shared, other);
    assert.deepEqual(
      elementsOf(shared),
      sorted.filter((number) => others.includes(number)),
    );
  });
  fc.assert(property);
});

test('a posting grows with the table', () => {
  const posting = new Posting();
  for (let number = 0; number < 5000; number++) posting.add(number, number + 1);
  assert.equal(posting.size, 5000);
  assert.equal(numbersOf(posting, 5000).length, 5000);
});

test('thousands of rare values take bytes by their rows, not by the size of the table', () => {
  const rare = new Posting();
  for (const number of [1, 50_000, 99_999]) rare.add(number, 100_000);
  assert.ok(rare.bytes < 200);
  const common = new Posting();
  for (let number = 0; number < 100_000; number += 2) common.add(number, 100_000);
  assert.ok(common.bytes < 100_000 / 8 + 1000, 'a bit for each row');
});
