import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FilterError, parse, readFilter, readSort, SortError } from '../../../src/query/index.ts';
import { stepCounter } from '../../support/counted-steps.ts';
import { arbitraryFilter, arbitraryStyle, print } from '../../support/filter-trees.ts';
import { anyText } from '../../support/texts.ts';
import { people } from './sample.ts';

/** The tree without the places in the text, and without the digits as they were written. */
const meaning = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'at' || key === 'decimal' ? undefined : value)));

test('what is printed is read back as the same tree', () => {
  fc.assert(
    fc.property(arbitraryFilter, arbitraryStyle(), (filter, style) => {
      assert.deepEqual(meaning(parse(print(filter, style))), meaning(filter));
    }),
    { numRuns: 2000 },
  );
});

// biome-ignore format: a list
const pieces = ['(', ')', '[', ']', ',', '=', '!=', '<', '>=', ' ', ' ', '\n', 'not ', ' and ', ' or ', 'true', 'name', 'age', 'tags.x', 'roles', 'anyOf(', 'count(', 'isEmpty(', 'from hobbies where ', ' in [', ' contains ', ' between ', '"x"', '"', '\\', '5', '-1.5e3', '1e999', 'datetime(', '2024-01-01T00:00:00Z', 'null', ' sort by ', ' skip ', ' limit ', 'none', 'é', '😀', '\ud800', '\0', 'constructor', '__proto__'];
/** Long texts in which one thing comes again and again. */
const repeating = fc
  .tuple(fc.constantFrom(...pieces), fc.constantFrom(...pieces), fc.nat(8000))
  .map(([a, b, times]) => (a + b).repeat(times));
const hostile = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
  repeating,
);

/** Reads a filter, or is refused as filters are. */
const read = (text: string): void => {
  try {
    readFilter(text, people);
  } catch (error) {
    assert.ok(error instanceof FilterError, String(error));
    assert.ok(error.message.length < 400 && error.position >= 1 && error.position <= text.length + 1, error.message);
  }
};

test('no text whatsoever gives anything but a filter or a FilterError', () => {
  fc.assert(fc.property(hostile, read), { numRuns: 3000 });
});

test('reading a text takes a few steps for each of its characters, however often something comes in it', async () => {
  await using steps = await stepCounter();
  await fc.assert(
    fc.asyncProperty(repeating, async (text) => {
      const taken = await steps.of(() => read(text));
      assert.ok(taken <= 1000 + 10 * text.length, `${taken} steps for ${text.length} characters`);
    }),
    { numRuns: 400 },
  );
});

test('no sort parameter whatsoever gives anything but an order or a SortError', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      try {
        readSort(text, people);
      } catch (error) {
        assert.ok(error instanceof SortError, String(error));
      }
    }),
  );
});
