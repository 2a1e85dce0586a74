/**
 * That a store answers random questions about random rows as the oracle does, which asks every row in turn
 * (`src/query/evaluate.ts`): lists in any order, pages, and counts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { comparator, matches } from '../../src/query/index.ts';
import type { Predicate, SortKey } from '../../src/query/predicate.ts';
import type { Row, StorageSchema, Store } from '../../src/store/storage/port.ts';
import { arbitraryPredicate, arbitraryRows, arbitrarySort, sampleSchema } from '../support/filters.ts';
import type { StorageUnderTest } from './storage.suite.ts';

/** The sample as the core would store it, and with every column indexed: whether there is an index must not change an answer. */
const schemas: Readonly<Record<string, StorageSchema>> = {
  'few indexes': [sampleSchema],
  'every index': [{ ...sampleSchema, columns: sampleSchema.columns.map((column) => ({ ...column, index: true })) }],
  'no columns': [{ ...sampleSchema, columns: [] }],
};

interface Question {
  readonly where: Predicate;
  readonly sort: readonly SortKey[];
  readonly offset: number;
  readonly limit: number | undefined;
}

const question: fc.Arbitrary<Question> = fc.record({
  where: arbitraryPredicate(),
  sort: arbitrarySort(),
  offset: fc.oneof(fc.constant(0), fc.nat(6)),
  limit: fc.option(fc.nat(6), { nil: undefined }),
});

/** @param options `runs`: how many sets of rows are asked about */
export const filterSuite = ({ name, open }: StorageUnderTest, { runs = 150 } = {}): void => {
  describe(`filters: ${name}`, () => {
    for (const [indexes, schema] of Object.entries(schemas)) {
      test(`random questions are answered as by asking every row (${indexes})`, async () => {
        await using database = await open(schema);
        const store = await database.adapter().open(schema);
        const stored = fc.asyncProperty(arbitraryRows(), fc.array(question, { minLength: 1, maxLength: 12 }), async (rows, questions) => {
          await replaceAll(store, rows);
          for (const asked of questions) await prove(store, rows, asked);
        });
        await fc.assert(stored, { numRuns: Number(process.env.RUNS ?? runs) });
        await store.close();
      });
    }
  });
};

const prove = async (store: Store, rows: readonly Row[], { where, sort, offset, limit }: Question): Promise<void> => {
  const lookup = (_: string, id: string) => rows.find((row) => row.id === id);
  const matching = rows.filter((row) => matches(where, row, lookup)).sort(comparator(sort));
  const expected = matching.slice(offset, limit === undefined ? undefined : offset + limit).map((row) => row.id);
  await store.transaction('read', async (tx) => {
    const listed = await tx.list(sampleSchema.kind, { where, sort, offset, ...(limit === undefined ? {} : { limit }) });
    assert.deepEqual(
      listed.map((row) => row.id),
      expected,
    );
    assert.equal(await tx.count(sampleSchema.kind, where), matching.length);
  });
};

const replaceAll = (store: Store, rows: readonly Row[]): Promise<void> =>
  store.transaction('write', async (tx) => {
    for (const row of await tx.list(sampleSchema.kind, { where: { op: 'all' } })) await tx.delete(sampleSchema.kind, row.id);
    for (const row of rows) await tx.insert(sampleSchema.kind, row);
  });
