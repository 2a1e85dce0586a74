import assert from 'node:assert/strict';
import { UniqueViolation } from '../../../src/store/storage/errors.ts';
import type { Store, Transaction } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, note, read, save, write } from './sample.ts';

const sharing = <T>(store: Store, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  store.transaction('write', work, { mayShareCommit: true });

/** Writers that may share a commit: on every store, as if each had a transaction of its own. */
export const sharedCommits: Sentences = {
  'of writers that may share a commit, one that fails undoes what it wrote itself, and nothing else': async (store) => {
    await save(store, note('taken'), note('kept', { labels: ['x'] }));
    const failure = new Error('changed my mind');
    const writer = (index: number) =>
      sharing(store, async (tx) => {
        const revision = await tx.nextRevision();
        await tx.insert('note', note(`n${index}`, { labels: ['y'] }));
        if (index % 3 !== 1) return revision;
        const row = await tx.get('note', 'kept');
        if (row) await tx.update('note', { ...row, version: 9, labels: ['z'] }, row.version);
        await tx.delete('note', 'taken');
        throw failure;
      });
    const ended = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => writer(index)));
    assert.deepEqual(
      ended.map((end) => (end.status === 'fulfilled' ? end.value : end.reason)),
      [1, failure, 2, 3, failure, 4, 5, failure],
      'in the order in which they came, with revisions without gaps',
    );
    assert.deepEqual(await allIds(store), ['kept', 'n0', 'n2', 'n3', 'n5', 'n6', 'taken']);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x', 'y']);
    assert.equal(await read(store, (tx) => tx.count('note', { op: 'all' })), 7);
    assert.equal((await read(store, (tx) => tx.get('note', 'kept')))?.version, 1);
    assert.equal(await write(store, (tx) => tx.nextRevision()), 6);
  },

  'a writer that may share a commit sees what those before it have written, also where the first of them fails': async (store) => {
    const insert = (id: string, name: string) => sharing(store, (tx) => tx.insert('note', note(id, { name })));
    const [first, second, third] = await Promise.allSettled([
      sharing(store, async (tx) => {
        await tx.insert('note', note('a', { name: 'ann' }));
        throw new Error('not after all');
      }),
      insert('b', 'ann'),
      insert('c', 'ann'),
    ]);
    assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);
    assert.ok(third.status === 'rejected' && third.reason instanceof UniqueViolation && third.reason.field === 'name');
    assert.deepEqual(await allIds(store), ['b']);
  },
};
