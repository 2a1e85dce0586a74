import assert from 'node:assert/strict';
import { ALL } from '../../../src/query/predicate.ts';
import { UniqueViolation } from '../../../src/store/storage/errors.ts';
import type { Transaction } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, note, read, save, schema, write } from './sample.ts';

/** The host's own transaction: it alone decides what becomes of the work. */
export const joining: Sentences = {
  'work in a transaction of the host is there once the host commits': async (store, database) => {
    await save(store, note('a'));
    await database.hostTransaction(async (host) => {
      const tx = store.join(host);
      await tx.insert('note', note('b', { labels: ['x'] }));
      assert.equal(await tx.count('note', ALL), 2);
      assert.equal(await tx.nextRevision(), 1);
      assert.equal((await store.join(host).get('note', 'b'))?.id, 'b');
    });
    assert.deepEqual(await allIds(store), ['a', 'b']);
    assert.equal(await write(store, (tx) => tx.nextRevision()), 2);
  },

  'those that join one transaction see at once what each of them writes': async (store, database) => {
    await save(store, note('a', { name: 'ann' }));
    await database.hostTransaction(async (host) => {
      const [one, other] = [store.join(host), store.join(host)];
      assert.equal((await one.get('note', 'a'))?.['name'], 'ann');
      assert.equal(await one.get('note', 'b'), undefined);
      await other.update('note', note('a', { version: 2, name: 'bob' }), 1);
      await other.insert('note', note('b'));
      assert.equal((await one.get('note', 'a'))?.['name'], 'bob');
      assert.equal((await one.get('note', 'b'))?.id, 'b');
      await other.delete('note', 'b');
      assert.equal(await one.get('note', 'b'), undefined);
    });
    assert.deepEqual(await allIds(store), ['a']);
  },

  'nothing is left when the host rolls back': async (store, database) => {
    await save(store, note('a', { labels: ['x'] }));
    const hosted = database.hostTransaction(async (host) => {
      const tx = store.join(host);
      await tx.insert('note', note('b', { labels: ['y'] }));
      await tx.delete('note', 'a');
      await tx.nextRevision();
      throw new RangeError('the host fails');
    });
    await assert.rejects(hosted, RangeError);
    assert.deepEqual(await allIds(store), ['a']);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x']);
    assert.equal(await read(store, (tx) => tx.count('note', ALL)), 1);
    assert.equal(await write(store, (tx) => tx.nextRevision()), 1);
  },

  'a unique violation does not end the transaction of the host': async (store, database) => {
    await save(store, note('a', { name: 'ann' }));
    await database.hostTransaction(async (host) => {
      const tx = store.join(host);
      await assert.rejects(tx.insert('note', note('b', { name: 'ann', labels: ['y'] })), UniqueViolation);
      await tx.insert('note', note('c'));
    });
    assert.deepEqual(await allIds(store), ['a', 'c']);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), []);
  },

  'several stores join one transaction of the host': async (store, database) => {
    const other = await database.adapter('other').open(schema);
    const hosted = database.hostTransaction(async (host) => {
      await store.join(host).insert('note', note('a'));
      await other.join(host).insert('note', note('b'));
    });
    await hosted;
    assert.deepEqual([await allIds(store), await allIds(other)], [['a'], ['b']]);
    await other.close();
  },

  'a transaction of the store can be joined by those who are given it, and sees what they write': async (store) => {
    const work = async (tx: Transaction) => {
      await tx.insert('note', note('a'));
      assert.equal((await tx.get('note', 'a'))?.version, 1);
      const other = store.join(tx.host);
      await other.update('note', note('a', { version: 2, name: 'bob' }), 1);
      await other.insert('note', note('b', { labels: ['x'] }));
      assert.deepEqual([(await tx.get('note', 'a'))?.['name'], await tx.count('note', ALL)], ['bob', 2]);
    };
    const undone = async (tx: Transaction) => {
      await work(tx);
      throw new RangeError('changed my mind');
    };
    await assert.rejects(write(store, undone), RangeError);
    assert.deepEqual(await allIds(store), []);
    await write(store, work);
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'only a transaction of the same engine can be joined': async (store) => {
    for (const host of [undefined, null, {}, 'begin', () => undefined]) assert.throws(() => store.join(host), TypeError);
  },
};
