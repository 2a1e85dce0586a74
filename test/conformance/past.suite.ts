/** That a past state answers each read as the store did before the changes that it undoes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { PastTransaction } from '../../src/store/history/past-transaction.ts';
import { createUndo, type Undo } from '../../src/store/history/undo.ts';
import type { Row, Store, Transaction } from '../../src/store/storage/port.ts';
import { arbitraryPredicate, arbitraryRows, arbitrarySort, sampleSchema } from '../support/filters.ts';
import type { StorageUnderTest } from './storage.suite.ts';

const schema = [sampleSchema];
const KIND = sampleSchema.kind;
const RUNS = Number(process.env.HISTORY_RUNS ?? 60);

/** Two states of a table. */
const states = fc.record({ before: arbitraryRows(), after: arbitraryRows() });
const question = fc.record({
  where: arbitraryPredicate(),
  sort: arbitrarySort(),
  offset: fc.oneof(fc.constant(0), fc.nat(6)),
  limit: fc.option(fc.nat(6), { nil: undefined }),
});

/** What leads from the rows `after` back to the rows `before`. */
const undoing = (before: readonly Row[], after: readonly Row[]): Undo => {
  const undo = createUndo();
  for (const row of before) if (!after.includes(row)) undo.note(KIND, row.id, row);
  for (const { id } of after) if (!before.some((row) => row.id === id)) undo.note(KIND, id, undefined);
  return undo;
};

const replaceAll = (store: Store, rows: readonly Row[]): Promise<void> =>
  store.transaction('write', async (tx) => {
    for (const row of await tx.list(KIND, { where: { op: 'all' } })) await tx.delete(KIND, row.id);
    for (const row of rows) await tx.insert(KIND, row);
  });

export const pastSuite = ({ name, open }: StorageUnderTest): void => {
  describe(`a past state of a store: ${name}`, () => {
    test('answers every read as the store did then', async () => {
      await using database = await open(schema);
      const [source, now] = [await memoryStorage().open(schema), await database.adapter().open(schema)];
      const questions = fc.array(question, { minLength: 1, maxLength: 8 });
      const answersAsThen = fc.asyncProperty(states, questions, async ({ before, after }, asked) => {
        await replaceAll(source, before);
        await replaceAll(now, after);
        const undo = undoing(before, after);
        await source.transaction('read', (then) =>
          now.transaction('read', async (tx) => {
            const past = new PastTransaction(tx, undo);
            assert.deepEqual(await past.distinct(KIND, 'labels'), await then.distinct(KIND, 'labels'));
            for (const { id } of [...before, ...after]) assert.deepEqual(await past.get(KIND, id), await then.get(KIND, id));
            for (const each of asked) assert.deepEqual(await answers(past, each), await answers(then, each));
          }),
        );
      });
      await fc.assert(answersAsThen, { numRuns: RUNS });
      await Promise.all([source.close(), now.close()]);
    });

    test('refuses every write', async () => {
      await using database = await open(schema);
      const store = await database.adapter().open(schema);
      await store.transaction('write', async (tx) => {
        const past = new PastTransaction(tx, createUndo());
        await assert.rejects(past.delete(KIND, 'a'), /read-only/);
        await assert.rejects(past.nextRevision(), /read-only/);
      });
      await store.close();
    });
  });
};

const answers = async (tx: Transaction, { limit, ...asked }: typeof question extends fc.Arbitrary<infer Q> ? Q : never) => {
  const { where } = asked;
  const query = { ...asked, ...(limit === undefined ? {} : { limit }) };
  const names = ['a', 'b', '', 'alpha', 'true'];
  const [listed, referenced = []] = await tx.readAll([
    { read: 'list', kind: KIND, query },
    { read: 'referenced', kind: KIND, field: 'name', values: names, where },
  ]);
  const ofAll = await tx.referenced(KIND, 'name', names);
  return { listed, referenced: [...referenced].sort(), ofAll: [...ofAll].sort(), counted: await tx.count(KIND, where) };
};
