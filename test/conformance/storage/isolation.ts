import assert from 'node:assert/strict';
import { ALL } from '../../../src/query/predicate.ts';
import { StoreUnavailable, WriteConflict } from '../../../src/store/storage/errors.ts';
import type { Store, Transaction } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, note, read, save, schema, write } from './sample.ts';

const untilTold = () => Promise.withResolvers<void>();

/** What transactions see of each other, and what is left of them. */
export const isolation: Sentences = {
  'a transaction gives back what its work gives back': async (store) => {
    assert.equal(await write(store, async () => 'done'), 'done');
    assert.equal(await read(store, async () => 5), 5);
  },

  'a transaction sees its own writes': (store) =>
    write(store, async (tx) => {
      await tx.insert('note', note('a', { labels: ['x'] }));
      assert.equal((await tx.get('note', 'a'))?.id, 'a');
      assert.equal(await tx.count('note', ALL), 1);
      assert.deepEqual(await tx.distinct('note', 'labels'), ['x']);
      await tx.update('note', note('a', { version: 2, labels: ['y'] }), 1);
      assert.deepEqual(await tx.distinct('note', 'labels'), ['y']);
      await tx.delete('note', 'a');
      assert.equal(await tx.count('note', ALL), 0);
    }),

  'work that fails leaves no trace and its own error': async (store) => {
    await save(store, note('a', { labels: ['x'] }), note('b'));
    const failure = new Error('changed my mind');
    const work = async (tx: Transaction) => {
      await tx.insert('note', note('c', { labels: ['z'] }));
      await tx.update('note', note('a', { version: 2, labels: ['y'] }), 1);
      await tx.delete('note', 'b');
      await tx.nextRevision();
      throw failure;
    };
    await assert.rejects(write(store, work), (error) => error === failure);
    assert.deepEqual(await allIds(store), ['a', 'b']);
    assert.equal(await read(store, (tx) => tx.count('note', ALL)), 2);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x']);
    assert.equal((await read(store, (tx) => tx.get('note', 'a')))?.version, 1);
    assert.equal(await write(store, (tx) => tx.nextRevision()), 1);
  },

  'nobody sees what is not committed yet': async (store) => {
    const [inserted, go] = [untilTold(), untilTold()];
    const writing = write(store, async (tx) => {
      await tx.insert('note', note('a'));
      inserted.resolve();
      await go.promise;
    });
    await inserted.promise;
    const reading = allIds(store); // some stores answer at once, others when the writer is over
    const seenEarly = await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 20, undefined))]);
    assert.ok(seenEarly === undefined || (Array.isArray(seenEarly) && seenEarly.length === 0), String(seenEarly));
    go.resolve();
    await writing;
    await reading;
    assert.deepEqual(await allIds(store), ['a']);
  },

  'a reader sees one state, whatever is written meanwhile': async (store) => {
    await save(store, note('a', { labels: ['x'] }));
    const [began, go] = [untilTold(), untilTold()];
    const look = async (tx: Transaction) => [
      await tx.count('note', ALL),
      await tx.distinct('note', 'labels'),
      (await tx.get('note', 'a'))?.version,
    ];
    const reading = read(store, async (tx) => {
      const before = await look(tx);
      began.resolve();
      await go.promise;
      return [before, await look(tx)];
    });
    await began.promise;
    const writing = write(store, async (tx) => {
      await tx.update('note', note('a', { version: 2, labels: ['y'] }), 1);
      await tx.insert('note', note('b'));
    });
    await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 20))]);
    go.resolve();
    const [before, after] = await reading;
    assert.deepEqual(after, before);
    await writing;
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'writers do not overtake each other between reading and writing': async (store) => {
    await save(store, note('a', { order: 0 }));
    const increment = () =>
      write(store, async (tx) => {
        const row = await tx.get('note', 'a');
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
        if (row) await tx.update('note', { ...row, version: row.version + 1, order: Number(row.order) + 1 }, row.version);
      });
    await Promise.all(Array.from({ length: 20 }, () => repeated(increment)));
    assert.equal((await read(store, (tx) => tx.get('note', 'a')))?.order, 20);
  },

  'revisions are 1, 2, 3, ... without gaps, also when transactions run side by side and some fail': async (store) => {
    const draw = (index: number) =>
      repeated(() =>
        write(store, async (tx) => {
          const revision = await tx.nextRevision();
          if (index % 3 === 0) throw new RangeError('rolled back');
          return revision;
        }),
      ).catch((error) => (error instanceof RangeError ? undefined : Promise.reject(error)));
    const drawn = await Promise.all(Array.from({ length: 30 }, (_, index) => draw(index)));
    const committed = drawn.filter((revision) => revision !== undefined).sort((a, b) => a - b);
    assert.deepEqual(
      committed,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.deepEqual(await write(store, async (tx) => [await tx.nextRevision(), await tx.nextRevision()]), [21, 22]);
  },

  'a transaction sees the revision of its own state': async (store) => {
    assert.equal(await read(store, (tx) => tx.revision()), 0);
    await write(store, async (tx) => {
      assert.deepEqual([await tx.nextRevision(), await tx.revision(), await tx.nextRevision(), await tx.revision()], [1, 1, 2, 2]);
    });
    const [began, go] = [untilTold(), untilTold()];
    const reading = read(store, async (tx) => {
      const before = await tx.revision();
      began.resolve();
      await go.promise;
      return [before, await tx.revision()];
    });
    await began.promise;
    const writing = write(store, (tx) => tx.nextRevision());
    await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 20))]);
    go.resolve();
    assert.deepEqual(await reading, [2, 2]);
    assert.equal(await writing, 3);
    assert.equal(await read(store, (tx) => tx.revision()), 3);
  },

  'namespaces have nothing in common': async (store, database) => {
    const other = await database.adapter('other').open(schema);
    await save(store, note('a', { name: 'ann', labels: ['x'], ownerId: 'o' }));
    await write(store, (tx) => tx.nextRevision());
    await save(other, note('a', { name: 'ann', labels: ['y'], version: 9 }), note('b', { name: 'bob' }));
    assert.equal(await read(other, (tx) => tx.revision()), 0);
    assert.equal(await write(other, (tx) => tx.nextRevision()), 1);
    assert.deepEqual([await allIds(store), await allIds(other)], [['a'], ['a', 'b']]);
    assert.deepEqual(await read(other, (tx) => tx.distinct('note', 'labels')), ['y']);
    assert.deepEqual(await read(other, (tx) => tx.referenced('note', 'ownerId', ['o'])), []);
    assert.equal(await write(store, (tx) => tx.delete('note', 'b')), false);
    assert.equal(await write(store, (tx) => tx.delete('note', 'a')), true);
    assert.equal((await read(other, (tx) => tx.get('note', 'a')))?.version, 9);
    assert.deepEqual(
      await read(other, (tx) => Promise.all([tx.count('note', ALL), tx.count('note', { op: 'covers', set: 'labels', values: ['y'] })])),
      [2, 1],
    );
    await other.close();
  },

  'a second store on the same database and namespace sees the same rows': async (store, database) => {
    await save(store, note('a'));
    const second = await database.adapter().open(schema);
    assert.deepEqual(await allIds(second), ['a']);
    await save(second, note('b'));
    assert.deepEqual(await allIds(store), ['a', 'b']);
    await second.close();
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'a closed store is unavailable': async (_, database) => {
    const store: Store = await database.adapter().open(schema);
    await store.close();
    await store.close();
    await assert.rejects(allIds(store), StoreUnavailable);
  },
};

/** As a caller would: a transaction that could not be serialised is run again. */
const repeated = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
    }
  }
};
