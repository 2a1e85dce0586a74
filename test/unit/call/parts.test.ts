import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParts } from '../../../src/call/resources/present.ts';
import { countTurns } from '../../support/turns.ts';

test('more rows than on a page are converted in parts, in order, and others have a turn of the event loop after each', async () => {
  const rows = Array.from({ length: 1234 }, (_, i) => i);
  using others = countTurns();
  const parts: [size: number, turns: number][] = [];
  const converted = await inParts(rows, async (part) => {
    parts.push([part.length, others.turns]);
    return part.map((row) => `row ${row}`);
  });
  assert.deepEqual(
    converted,
    rows.map((row) => `row ${row}`),
  );
  assert.deepEqual(
    parts.map(([size]) => size),
    [500, 500, 234],
  );
  for (const [i, [, turns]] of parts.entries()) if (i > 0) assert.ok(turns > (parts[i - 1]?.[1] ?? 0), `part ${i} followed at once`);
});

test('the rows of a page are converted at once', async () => {
  const sizes: number[] = [];
  await inParts(Array.from({ length: 500 }), async (part) => {
    sizes.push(part.length);
    return part;
  });
  assert.deepEqual(sizes, [500]);
});
