import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compileMatcher } from '../../../src/query/index.ts';
import { followLog, type ReadRecords } from '../../../src/store/changelog/follow.ts';
import type { Row } from '../../../src/store/storage/port.ts';

const at = '2026-01-01T00:00:00.000Z';
const record = (revision: number): Row => ({
  ...{ id: String(revision).padStart(16, '0'), version: revision, createdAt: at, updatedAt: at, tags: {} },
  ...{ revision, action: 'update', entity: 'identity', entityId: 'i', actor: 'system', requestId: 'r', before: {}, after: {} },
});

/** Reads the records with these revisions, and counts the reads. */
const logOf = (revisions: readonly number[]) => {
  const log = revisions.map(record);
  let reads = 0;
  const read: ReadRecords = async ({ where, limit }) => {
    reads++;
    const matches = compileMatcher(where, () => undefined);
    return log.filter(matches).slice(0, limit);
  };
  return { read, log, reads: () => reads };
};

/** The revisions that following yields, and the ranges that it reports missing. */
const followed = async (read: ReadRecords, after: number, options: Parameters<typeof followLog>[2]) => {
  const [seen, missing]: [number[], [number, number][]] = [[], []];
  let last = after;
  for await (const { changes, missingUpTo } of followLog(read, after, options)) {
    if (missingUpTo !== undefined) missing.push([last + 1, missingUpTo]);
    seen.push(...changes.map(({ revision }) => revision));
    last = missingUpTo ?? seen.at(-1) ?? last;
  }
  return { seen, missing };
};

describe('following the change log', () => {
  test('yields each kept change after a revision once and in order, and reports every gap, whatever the size of a page', async () => {
    const revisions = fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map((list) => list.toSorted((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(revisions, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), async (kept, after, batch) => {
        const { seen, missing } = await followed(logOf(kept).read, after, { batch });
        assert.deepEqual(
          seen,
          kept.filter((revision) => revision > after),
        );
        const gone = missing.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
        const last = seen.at(-1) ?? after;
        const expected = Array.from({ length: last - after }, (_, i) => after + 1 + i).filter((revision) => !kept.includes(revision));
        assert.deepEqual(gone, expected);
      }),
    );
  });

  test('reads no more pages than it is allowed', async () => {
    const log = logOf([1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual((await followed(log.read, 0, { batch: 2, pages: 2 })).seen, [1, 2, 3, 4]);
    assert.equal(log.reads(), 2);
  });

  test('waits at the end of the log, continues with what has come, and ends when it is aborted', async () => {
    const log = logOf([1, 2]);
    const ended = new AbortController();
    const waits: number[] = [];
    const untilGrown = async (revision: number) => {
      waits.push(revision);
      if (waits.length === 1) log.log.push(record(3));
      else ended.abort();
    };
    assert.deepEqual((await followed(log.read, 0, { batch: 10, untilGrown, signal: ended.signal })).seen, [1, 2, 3]);
    assert.deepEqual(waits, [2, 3]);
  });
});
