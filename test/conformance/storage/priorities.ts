import assert from 'node:assert/strict';
import type { Priority, Store, Transaction, TransactionOptions } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, note, write } from './sample.ts';

const reading = <T>(store: Store, work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
  store.transaction('read', work, { priority: () => 'ordinary', ...options });

const adding = (store: Store, id: string) =>
  write(store, async (tx) => {
    await tx.insert('note', note(id));
    await tx.nextRevision();
  });

const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Reads with a priority: whether a store makes use of it or not, they see one state. */
export const priorities: Sentences = {
  'a read with a priority sees the rows of the revision that it was given, whatever is written between': async (store) => {
    await adding(store, 'a');
    let runs = 0;
    const writing: Promise<unknown>[] = [];
    const [revision, ids] = await reading(store, async (tx) => {
      const revision = await tx.revision();
      // A store that has begun may let the writer wait until this is over.
      if (runs++ === 0) {
        writing.push(adding(store, 'b'));
        await Promise.race([...writing, turn()]);
      }
      const rows = await tx.list('note', { where: { op: 'all' } });
      return [revision, rows.map(({ id }) => id), await tx.revision()];
    });
    await Promise.all(writing);
    assert.deepEqual(ids, ['a', 'b'].slice(0, Number(revision)));
    assert.ok(runs === 1 || (runs === 2 && revision === 2), `${runs} runs at revision ${revision}`);
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'a read with a priority keeps the state with which it has begun': async (store) => {
    await adding(store, 'a');
    const writing: Promise<unknown>[] = [];
    const seen = await reading(store, async (tx) => {
      const before = [await tx.revision(), (await tx.list('note', { where: { op: 'all' } })).length];
      writing.push(adding(store, 'b'));
      await Promise.race([...writing, turn()]);
      return [before, [await tx.revision(), await tx.count('note', { op: 'all' })]];
    });
    await Promise.all(writing);
    assert.deepEqual(seen, [
      [1, 1],
      [1, 1],
    ]);
  },

  'a read with a priority fails with the error of its work, and its revision alone needs no connection': async (store) => {
    const failure = new Error('changed my mind');
    const isFailure = (error: unknown) => error === failure;
    let asked = 0;
    const priority = (): Priority => {
      asked++;
      return 'ordinary';
    };
    await assert.rejects(
      reading(store, () => Promise.reject(failure)),
      isFailure,
    );
    assert.equal(await reading(store, (tx) => tx.revision(), { priority }), 0);
    assert.equal(asked, 0);
    const failing = async (tx: Transaction) => {
      await tx.count('note', { op: 'all' });
      throw failure;
    };
    await assert.rejects(reading(store, failing, { priority }), isFailure);
  },

  'a read has a priority once its caller is known, and sees one state until then and from then on': async (store) => {
    await adding(store, 'a');
    let known: Priority | undefined;
    const seen = await reading(
      store,
      async (tx) => {
        const before = await tx.get('note', 'a');
        known = 'ordinary';
        return [before, await tx.get('note', 'a'), await tx.count('note', { op: 'all' })];
      },
      { priority: () => known },
    );
    assert.deepEqual(seen, [note('a'), note('a'), 1]);
  },

  'a read with a priority ends with its signal': async (store) => {
    const stopping = new AbortController();
    const reason = new Error('the client went away');
    const stopped = reading(
      store,
      async (tx) => {
        await tx.count('note', { op: 'all' });
        stopping.abort(reason);
        return tx.count('note', { op: 'all' });
      },
      { signal: stopping.signal },
    );
    // A store that answers at once need not look at the signal.
    await stopped.then(
      (count) => assert.equal(count, 0),
      (error) => assert.equal(error, reason),
    );
  },
};
