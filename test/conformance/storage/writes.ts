import assert from 'node:assert/strict';
import { ALL, equals, has, type Predicate, stringField } from '../../../src/query/predicate.ts';
import { RowMissing, UniqueViolation, WriteConflict } from '../../../src/store/storage/errors.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { allIds, idsOf, note, read, save, write } from './sample.ts';

const violates = (kind: string, field: string) => (error: unknown) =>
  error instanceof UniqueViolation && error.kind === kind && error.field === field;

/** Insert, update, delete and their errors. */
export const writes: Sentences = {
  'a row comes back as it was inserted, with its version and all its fields': async (store) => {
    const row = note('a', {
      version: 7,
      order: 0.5,
      isOpen: false,
      dueAt: null,
      labels: ['x', 'y'],
      nested: { list: [1, null, { deep: true }] },
      tags: { 'a.b': 'text', 'q"': null, yes: true },
    });
    await save(store, row);
    assert.deepEqual(await read(store, (tx) => tx.get('note', 'a')), row);
    assert.deepEqual(await read(store, (tx) => tx.list('note', { where: ALL })), [row]);
  },

  'awkward text is stored as it is': async (store) => {
    const awkward = ['', ' ', "it's", '"', '\\', '%_', '\n\t', 'é', 'e\u0301', '😀', '\uff5e', 'null', '\u0001'];
    const row = note('it\'s "😀"', { name: awkward.join(''), labels: awkward, tags: Object.fromEntries(awkward.map((key) => [key, key])) });
    await save(store, row);
    assert.deepEqual(await read(store, (tx) => tx.get('note', row.id)), row);
    for (const label of awkward) assert.equal(await count(store, has('labels', label)), 1, label);
  },

  'a missing row is undefined, and deleting it says so': async (store) => {
    await save(store, note('a'));
    assert.equal(await read(store, (tx) => tx.get('note', 'b')), undefined);
    assert.equal(await read(store, (tx) => tx.get('group', 'a')), undefined);
    assert.equal(await write(store, (tx) => tx.delete('note', 'b')), false);
    assert.equal(await write(store, (tx) => tx.delete('note', 'a')), true);
    assert.equal(await write(store, (tx) => tx.delete('note', 'a')), false);
    assert.deepEqual(await allIds(store), []);
  },

  'a row that was handed in may be changed afterwards without a trace': async (store) => {
    const labels = ['x'];
    const nested = { count: 1 };
    await save(store, note('a', { labels, nested }));
    labels.push('y');
    nested.count = 2;
    const found = await read(store, (tx) => tx.get('note', 'a'));
    assert.deepEqual([found?.labels, found?.nested], [['x'], { count: 1 }]);
    assert.equal(await count(store, has('labels', 'y')), 0);
  },

  'a taken id, text or number is refused with the field, and the transaction goes on': async (store) => {
    await save(store, note('a', { name: 'ann', externalKey: 5 }));
    await write(store, async (tx) => {
      await tx.insert('note', note('b', { labels: ['x'] }));
      await assert.rejects(tx.insert('note', note('a', { name: 'other', labels: ['y'] })), violates('note', 'id'));
      await assert.rejects(tx.insert('note', note('c', { name: 'ann', labels: ['y'] })), violates('note', 'name'));
      await assert.rejects(tx.insert('note', note('c', { externalKey: 5, labels: ['y'] })), violates('note', 'externalKey'));
      await assert.rejects(tx.update('note', note('b', { version: 2, name: 'ann', labels: ['y'] }), 1), violates('note', 'name'));
      await tx.insert('note', note('d'));
    });
    assert.deepEqual(await allIds(store), ['a', 'b', 'd']);
    assert.equal(await count(store, ALL), 3);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x']);
    assert.equal((await read(store, (tx) => tx.get('note', 'b')))?.version, 1);
  },

  'of several taken values the first of the kind is named, the id before all': async (store) => {
    await save(store, note('a', { name: 'ann', externalKey: 5 }), note('b', { name: 'bob', externalKey: 6 }));
    await write(store, async (tx) => {
      await assert.rejects(tx.insert('note', note('a', { name: 'ann', externalKey: 5 })), violates('note', 'id'));
      await assert.rejects(tx.insert('note', note('c', { name: 'ann', externalKey: 6 })), violates('note', 'name'));
      await assert.rejects(tx.update('note', note('b', { version: 2, name: 'ann', externalKey: 5 }), 1), violates('note', 'name'));
      await assert.rejects(tx.update('note', note('b', { version: 2, name: 'bob', externalKey: 5 }), 1), violates('note', 'externalKey'));
    });
  },

  'null is no value to a unique field, and case tells values apart': async (store) => {
    await save(
      store,
      note('a', { name: null }),
      note('b', { name: null }),
      note('c', { name: 'ann' }),
      note('d', { name: 'Ann' }),
      note('e', { name: 'ann ' }),
    );
    assert.deepEqual(await allIds(store), ['a', 'b', 'c', 'd', 'e']);
  },

  'a unique value may be kept, given up and taken over': async (store) => {
    await save(store, note('a', { name: 'ann' }), note('b', { name: 'bob' }));
    await write(store, async (tx) => {
      await tx.update('note', note('a', { version: 2, name: 'ann', order: 1 }), 1);
      await tx.update('note', note('a', { version: 3, name: 'amy' }), 2);
      await tx.update('note', note('b', { version: 2, name: 'ann' }), 1);
      await tx.delete('note', 'a');
      await tx.insert('note', note('c', { name: 'amy' }));
    });
    assert.deepEqual(idsOf(await read(store, (tx) => tx.list('note', { where: equals(stringField('name'), 'ann') }))), ['b']);
  },

  'an update replaces the whole row and what it is found by': async (store) => {
    await save(store, note('a', { ownerId: 'ann', labels: ['x', 'y'], select: ['s'], extra: 1 }));
    const next = note('a', { version: 2, updatedAt: '2024-05-05T00:00:00.000Z', ownerId: 'bob', labels: ['y', 'z'] });
    await write(store, (tx) => tx.update('note', next, 1));
    assert.deepEqual(await read(store, (tx) => tx.get('note', 'a')), next);
    assert.deepEqual(
      await Promise.all([count(store, equals(stringField('ownerId'), 'ann')), count(store, equals(stringField('ownerId'), 'bob'))]),
      [0, 1],
    );
    assert.deepEqual(await Promise.all(['x', 'y', 'z'].map((label) => count(store, has('labels', label)))), [0, 1, 1]);
    assert.equal(await count(store, has('select', 's')), 0);
  },

  'an update needs the row, in the version that was read': async (store) => {
    await save(store, note('a', { version: 4 }));
    await write(store, async (tx) => {
      await assert.rejects(tx.update('note', note('b'), 1), RowMissing);
      await assert.rejects(tx.update('note', note('a', { version: 5 }), 3), WriteConflict);
      await tx.update('note', note('a', { version: 5 }), 4);
    });
    await assert.rejects(
      write(store, (tx) => tx.update('note', note('a', { version: 5 }), 4)),
      WriteConflict,
    );
  },

  'a deleted row leaves nothing that could be found': async (store) => {
    await save(store, note('a', { ownerId: 'ann', labels: ['x'] }), note('b', { labels: ['y'] }));
    await write(store, (tx) => tx.delete('note', 'a'));
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['y']);
    assert.deepEqual(await read(store, (tx) => tx.referenced('note', 'ownerId', ['ann'])), []);
    assert.equal(await count(store, ALL), 1);
    await save(store, note('a'));
    assert.deepEqual(await allIds(store), ['a', 'b']);
  },

  'a set counts each element once': async (store) => {
    await save(store, note('a', { labels: ['x', 'x'] }), note('b', { labels: [] }), note('c', { labels: null }));
    await write(store, (tx) => tx.update('note', note('a', { version: 2, labels: ['y', 'y', 'x'] }), 1));
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x', 'y']);
  },

  'what is kept of a namespace beside its rows can be forgotten': async (store) => {
    await save(store, note('a', { labels: ['x'] }));
    await write(store, async (tx) => {
      await tx.nextRevision();
      await tx.delete('note', 'a');
      await tx.forget();
    });
    assert.deepEqual([await read(store, (tx) => tx.revision()), await count(store, ALL)], [0, 0]);
    await save(store, note('b'));
    assert.deepEqual([await write(store, (tx) => tx.nextRevision()), await count(store, ALL)], [1, 1]);
  },

  'reading is no time to write': async (store) => {
    await save(store, note('a'));
    await read(store, async (tx) => {
      await assert.rejects(tx.insert('note', note('b')), TypeError);
      await assert.rejects(tx.update('note', note('a', { version: 2 }), 1), TypeError);
      await assert.rejects(tx.delete('note', 'a'), TypeError);
      await assert.rejects(tx.nextRevision(), TypeError);
      await assert.rejects(tx.forget(), TypeError);
    });
    assert.deepEqual(await allIds(store), ['a']);
  },
};

const count = (store: Store, where: Predicate): Promise<number> => read(store, (tx) => tx.count('note', where));
