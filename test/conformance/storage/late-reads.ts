import assert from 'node:assert/strict';
import type { Store, Transaction, TransactionOptions } from '../../../src/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, note, write } from './sample.ts';

const reading = <T>(store: Store, work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
  store.transaction('read', work, { mayBeginLate: true, ...options });

const adding = (store: Store, id: string) =>
  write(store, async (tx) => {
    await tx.insert('note', note(id));
    await tx.nextRevision();
  });

const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Reads that may begin late: whether a store makes use of it or not, they see one state. */
export const lateReads: Sentences = {
  'a read that may begin late sees the rows of the revision that it was told, whatever is written between': async (store) => {
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
    assert.equal(runs, store.beginsLate && revision === 2 ? 2 : 1);
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'a read that may begin late keeps the state with which it has begun': async (store) => {
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

  'a read that may begin late fails with the error of its work, and waits to be admitted before it begins': async (store) => {
    const failure = new Error('changed my mind');
    const isFailure = (error: unknown) => error === failure;
    const admitted: string[] = [];
    const admit = async () => {
      await turn();
      admitted.push('admitted');
    };
    await assert.rejects(
      reading(store, () => Promise.reject(failure)),
      isFailure,
    );
    assert.equal(await reading(store, (tx) => tx.revision(), { admit }), 0);
    assert.deepEqual(admitted, [], 'the revision alone needs no transaction');
    const failing = async (tx: Transaction) => {
      await tx.count('note', { op: 'all' });
      throw failure;
    };
    await assert.rejects(reading(store, failing, { admit }), isFailure);
    assert.deepEqual(admitted, store.beginsLate ? ['admitted'] : []);
    const refused = reading(store, (tx) => tx.count('note', { op: 'all' }), { admit: () => Promise.reject(failure) });
    if (store.beginsLate) await assert.rejects(refused, isFailure);
    else assert.equal(await refused, 0);
  },

  'a read that may begin late ends with its signal, and refuses to go on when it is over': async (store) => {
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
    if (store.beginsLate) await assert.rejects(stopped, (error) => error === reason);
    else await stopped.catch(() => undefined);
    let kept: Transaction | undefined;
    await reading(store, async (tx) => {
      kept = tx;
      return tx.revision();
    });
    if (store.beginsLate) await assert.rejects(async () => kept?.get('note', 'a'), TypeError);
  },
};
